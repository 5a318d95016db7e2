// Recordings whose files check.py reads afterwards.
#include "support.hpp"

#include "memviz/capture/recorder.hpp"

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

using memviz::capture::Recorder;
using memviz::capture::RecorderOptions;
using memviz::gpu::out_folder;

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

at::Tensor bytes_on_gpu(std::int64_t bytes) {
  return at::empty({bytes}, at::TensorOptions().device(at::kCUDA).dtype(at::kByte));
}

} // namespace

TEST_CASE("gpu recording: a first snapshot") {
  Recorder recorder;
  recorder.start();
  const at::Tensor kept = bytes_on_gpu(3 * kMegabyte);
  for (int round = 0; round < 10; ++round)
    bytes_on_gpu(5 * kMegabyte);
  recorder.dump(out_folder() / "simple.pickle");
  CHECK(recorder.is_recording());
  recorder.stop();
  CHECK(std::filesystem::file_size(out_folder() / "simple.pickle") > 0);
}

TEST_CASE("gpu recording: memory runs out") {
  const std::filesystem::path folder = out_folder() / "oom";
  std::filesystem::create_directories(folder);
  const auto count = [&] { return std::distance(std::filesystem::directory_iterator(folder), {}); };
  const auto before = count();
  RecorderOptions options;
  options.oom_directory = folder;
  Recorder recorder;
  recorder.start(options);
  const at::Tensor kept = bytes_on_gpu(3 * kMegabyte);
  CHECK_THROWS_AS(bytes_on_gpu(std::int64_t{1} << 50), c10::OutOfMemoryError);
  CHECK(count() == before + 1);
  CHECK_THROWS_AS(bytes_on_gpu(std::int64_t{1} << 50), c10::OutOfMemoryError);
  CHECK(count() == before + 2);
  recorder.stop();
}

TEST_CASE("gpu recording: several streams") {
  Recorder recorder;
  recorder.start();
  std::vector<at::Tensor> kept;
  for (int number = 0; number < 3; ++number) {
    const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard guard(stream);
    kept.push_back(bytes_on_gpu((number + 1) * kMegabyte));
    // In use elsewhere when it is freed: it becomes pending first.
    const at::Tensor lent = bytes_on_gpu(7 * kMegabyte);
    lent.zero_();
    lent.record_stream(c10::cuda::getDefaultCUDAStream());
  }
  recorder.dump(out_folder() / "streams.pickle");
  recorder.stop();
  c10::cuda::device_synchronize();
}

TEST_CASE("gpu recording: the private pool of a CUDA graph") {
  Recorder recorder;
  recorder.start();
  at::Tensor kept;
  at::cuda::CUDAGraph graph;
  {
    const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
    graph.capture_begin();
    kept = bytes_on_gpu(4 * kMegabyte).fill_(1);
    const at::Tensor sum = kept + kept;
    graph.capture_end();
  }
  recorder.dump(out_folder() / "private_pool.pickle");
  recorder.stop();
}

TEST_CASE("gpu recording: two devices") {
  if (c10::cuda::device_count() < 2) {
    MESSAGE("skipped: one device");
    return;
  }
  Recorder recorder;
  recorder.start();
  std::vector<at::Tensor> kept;
  for (const c10::DeviceIndex device : {c10::DeviceIndex{0}, c10::DeviceIndex{1}}) {
    const c10::cuda::CUDAGuard guard(device);
    kept.push_back(bytes_on_gpu((device + 1) * 3 * kMegabyte));
    bytes_on_gpu(kMegabyte);
  }
  recorder.dump(out_folder() / "two_devices.pickle");
  recorder.stop();
}

TEST_CASE("gpu recording: expandable segments") {
  const char* settings = std::getenv("PYTORCH_CUDA_ALLOC_CONF");
  if (settings == nullptr || std::strstr(settings, "expandable_segments:True") == nullptr) {
    MESSAGE("skipped: PYTORCH_CUDA_ALLOC_CONF has no expandable_segments:True");
    return;
  }
  Recorder recorder;
  recorder.start();
  std::vector<at::Tensor> kept;
  for (int number = 0; number < 20; ++number) {
    kept.push_back(bytes_on_gpu((number + 1) * kMegabyte));
    if (number % 3 == 2) kept.erase(kept.begin());
  }
  c10::cuda::CUDACachingAllocator::emptyCache();
  recorder.dump(out_folder() / "expandable.pickle");
  recorder.stop();
}
