#include "cuda_counters.hpp"

#include <stdexcept>

#ifdef MEMVIZ_CAPTURE_CUDA

#include <ATen/Context.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

namespace memviz::capture {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

/// Both paths into cuBLAS (with a bias it is cuBLASLt), each of which keeps a workspace.
void load_libraries(c10::Device device) {
  const at::Tensor matrix = at::ones({16, 16}, at::TensorOptions(device));
  const at::Tensor bias = at::ones({16}, at::TensorOptions(device));
  at::mm(matrix, matrix);
  at::addmm(bias, matrix, matrix);
  c10::cuda::device_synchronize();
}

} // namespace

c10::Device prepare_cuda(c10::Device device) {
  if (!at::hasCUDA()) throw std::runtime_error("AllocatedMemory: there is no CUDA device for " + device.str());
  const c10::Device with_index = device.has_index() ? device : c10::Device(c10::kCUDA, c10::cuda::current_device());
  load_libraries(with_index);
  return with_index;
}

MemoryReading read_cuda(c10::Device device) {
  const auto stats = allocator::getDeviceStats(device.index());
  const auto& bytes = stats.allocated_bytes[0]; // of small and large blocks together
  return {bytes.allocated, bytes.current, bytes.freed, bytes.peak};
}

void reset_cuda_peak(c10::Device device) {
  allocator::resetPeakStats(device.index());
}

} // namespace memviz::capture

#else

namespace memviz::capture {

c10::Device prepare_cuda(c10::Device device) {
  throw std::runtime_error("AllocatedMemory: this LibTorch has no CUDA for " + device.str());
}
MemoryReading read_cuda(c10::Device /*device*/) {
  return {};
}
void reset_cuda_peak(c10::Device /*device*/) {
}

} // namespace memviz::capture

#endif
