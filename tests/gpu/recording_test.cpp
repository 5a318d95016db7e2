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

#include <torch/csrc/cuda/memory_snapshot.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <thread>
#include <vector>

using memviz::capture::Recorder;
using memviz::capture::RecorderOptions;
using memviz::gpu::out_folder;

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

at::Tensor bytes_on_gpu(std::int64_t bytes) {
  return at::empty({bytes}, at::TensorOptions().device(at::kCUDA).dtype(at::kByte));
}

RecorderOptions on_gpu() {
  RecorderOptions options;
  options.device = at::Device(at::kCUDA, 0);
  return options;
}

} // namespace

TEST_CASE("gpu recording: a first snapshot") {
  Recorder recorder;
  recorder.start(on_gpu());
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
  RecorderOptions options = on_gpu();
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
  recorder.start(on_gpu());
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
  recorder.start(on_gpu());
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

TEST_CASE("gpu recording: recordings end while threads allocate") {
  std::atomic<bool> goes_on = true;
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number) {
    threads.emplace_back([&goes_on] {
      while (goes_on)
        bytes_on_gpu(512);
    });
  }
  RecorderOptions options = on_gpu();
  options.stacks = "python"; // quick, so that more rounds meet the moment when an allocation begins
  options.max_entries = 1000;
  for (int round = 0; round < 2000; ++round) {
    Recorder recorder;
    recorder.start(options);
    if (round % 500 == 0) recorder.dump(out_folder() / "threads.pickle");
    recorder.stop();
  }
  goes_on = false;
  for (std::thread& thread : threads)
    thread.join();
}

TEST_CASE("gpu recording: PyTorch's own snapshot works after a recording of ours") {
  Recorder recorder;
  recorder.start(on_gpu());
  const at::Tensor kept = bytes_on_gpu(3 * kMegabyte);
  recorder.stop();
  CHECK_FALSE(torch::cuda::_memory_snapshot_pickled().empty());
  recorder.start(on_gpu());
  const at::Tensor also_kept = bytes_on_gpu(3 * kMegabyte);
  CHECK_FALSE(torch::cuda::_memory_snapshot_pickled().empty());
}

TEST_CASE("gpu recording: the CPU in the same file") {
  RecorderOptions options = on_gpu();
  options.with_cpu = true;
  Recorder recorder;
  recorder.start(options);
  const at::Tensor on_device = bytes_on_gpu(3 * kMegabyte);
  const at::Tensor on_cpu = at::empty({123'456}, at::kByte);
  recorder.dump(out_folder() / "with_cpu.pickle");
  recorder.stop();
}

TEST_CASE("gpu recording: two devices") {
  if (c10::cuda::device_count() < 2) {
    MESSAGE("skipped: one device");
    return;
  }
  Recorder recorder;
  recorder.start(on_gpu());
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
  recorder.start(on_gpu());
  std::vector<at::Tensor> kept;
  for (int number = 0; number < 20; ++number) {
    kept.push_back(bytes_on_gpu((number + 1) * kMegabyte));
    if (number % 3 == 2) kept.erase(kept.begin());
  }
  c10::cuda::CUDACachingAllocator::emptyCache();
  recorder.dump(out_folder() / "expandable.pickle");
  recorder.stop();
}
