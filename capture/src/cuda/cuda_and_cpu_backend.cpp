#include "cuda_and_cpu_backend.hpp"

#include "snapshot_merge.hpp"

#include <algorithm>
#include <utility>

namespace memviz::capture {
namespace {

RecordingOptions half_of(RecordingOptions options) {
  options.max_bytes /= 2;
  options.oom_directory.clear(); // one snapshot of both is dumped
  return options;
}

} // namespace

CudaAndCpuBackend::CudaAndCpuBackend(const RecordingOptions& options)
    : Backend(options.oom_directory, options.oom_dumps), cpu_(half_of(options)) {
  try {
    // The second to watch operators does so for both.
    cuda_ = std::make_unique<CudaBackend>(half_of(options));
  } catch (...) {
    cpu_.stop();
    throw;
  }
}

void CudaAndCpuBackend::stop() {
  cuda_->stop();
  cpu_.stop();
}

SnapshotData CudaAndCpuBackend::snapshot() const {
  SnapshotData snapshot = cuda_->snapshot();
  SnapshotData of_cpu = cpu_.snapshot();
  // Both have them all, but in LibTorch 2.4, whose CUDA allocator keeps none.
  if (snapshot.annotations.empty()) snapshot.annotations = std::move(of_cpu.annotations);
  of_cpu.settings.clear();
  const std::size_t cpu_device = snapshot.traces.size();
  append_device(std::move(of_cpu), static_cast<int>(cpu_device), snapshot);
  snapshot.settings.emplace_back("memviz_cpu_device", static_cast<std::int64_t>(cpu_device));
  return snapshot;
}

void CudaAndCpuBackend::annotate(std::string_view name, const char* stage) {
  cuda_->annotate(name, stage);
  cpu_.annotate(name, stage);
}

void CudaAndCpuBackend::note_out_of_memory(c10::DeviceType kind, std::uint64_t bytes) {
  cuda_->note_out_of_memory(kind, bytes);
  cpu_.note_out_of_memory(kind, bytes);
}

} // namespace memviz::capture
