// What recording costs, beside PyTorch's own recorder in the same process.
#include "support.hpp"

#include "memviz/capture/recorder.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>
#include <torch/csrc/cuda/memory_snapshot.h>

#include <fstream>
#include <optional>
#include <string>

using memviz::capture::Recorder;
using memviz::capture::RecorderOptions;
using memviz::gpu::report;

namespace {

constexpr std::size_t kMaxEntries = 1'000'000;
constexpr double kEventsPerPair = 3; // alloc, free_requested, free_completed
constexpr int kDeepFrames = 60;

/// Allocates and frees out of the allocator's cache: CUDA itself has no part in it.
void allocate_and_free(std::uint64_t pairs, int frames) {
  const at::TensorOptions options = at::TensorOptions().device(at::kCUDA).dtype(at::kByte);
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    // 64 different stacks: programs allocate at a few thousand places, again and again.
    memviz::gpu::call_below(frames, pair % 64, [&] { at::empty({1024}, options); });
  }
}

/// One of the two recorders, in one mode, with the same interface.
class Subject {
public:
  Subject(bool is_pytorch, bool has_stacks) : is_pytorch_(is_pytorch), has_stacks_(has_stacks) {}

  void start() {
    if (is_pytorch_) {
      const auto context = has_stacks_ ? std::optional<std::string>("all") : std::nullopt;
      torch::cuda::_record_memory_history(std::optional<std::string>("all"), context, std::string("all"), kMaxEntries);
      return;
    }
    RecorderOptions options;
    options.device = at::Device(at::kCUDA, 0);
    options.context = has_stacks_ ? "all" : "";
    options.max_entries = kMaxEntries;
    recorder_.start(options);
  }

  void stop() {
    if (is_pytorch_) {
      torch::cuda::_record_memory_history(std::optional<std::string>(), std::optional<std::string>(),
                                          std::string("all"), std::size_t{1});
    } else {
      recorder_.stop();
    }
  }

  void dump(const std::filesystem::path& path) const {
    if (is_pytorch_) {
      const std::string bytes = torch::cuda::_memory_snapshot_pickled();
      std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    } else {
      recorder_.dump(path);
    }
  }

  [[nodiscard]] std::string name() const {
    return std::string(is_pytorch_ ? "pytorch" : "memviz") + (has_stacks_ ? ".stacks" : ".no_stacks");
  }

private:
  bool is_pytorch_;
  bool has_stacks_;
  Recorder recorder_;
};

} // namespace

TEST_CASE("gpu cost: an event") {
  constexpr std::uint64_t kPairs = 100'000;
  for (const int frames : {0, 20, kDeepFrames}) {
    const std::string suffix = ".frames_plus_" + std::to_string(frames);
    const auto run = [&] { allocate_and_free(kPairs, frames); };
    run(); // warm-up
    const double without = memviz::gpu::seconds_of(run);
    report("unrecorded.ns_per_pair" + suffix, without / kPairs * 1e9, "ns");
    for (const bool has_stacks : {false, true}) {
      for (const bool is_pytorch : {false, true}) {
        Subject subject(is_pytorch, has_stacks);
        subject.start();
        allocate_and_free(1000, frames);
        const std::int64_t bytes_before = memviz::gpu::resident_bytes();
        const double with = memviz::gpu::seconds_of(run);
        const auto bytes = static_cast<double>(memviz::gpu::resident_bytes() - bytes_before);
        subject.stop();
        report(subject.name() + ".ns_per_event" + suffix, (with - without) / kPairs / kEventsPerPair * 1e9, "ns");
        report(subject.name() + ".host_bytes_per_event" + suffix, bytes / kPairs / kEventsPerPair, "bytes");
      }
    }
  }
}

namespace {

void measure_dump(bool is_pytorch, const char* file_name) {
  constexpr std::uint64_t kPairs = 33'334;
  Subject subject(is_pytorch, true);
  subject.start();
  allocate_and_free(kPairs, kDeepFrames);
  const std::filesystem::path path = memviz::gpu::out_folder() / file_name;
  report(subject.name() + ".dump_seconds", memviz::gpu::seconds_of([&] { subject.dump(path); }), "s");
  report(subject.name() + ".dump_bytes", static_cast<double>(std::filesystem::file_size(path)), "bytes");
  report(subject.name() + ".dump_again_seconds", memviz::gpu::seconds_of([&] { subject.dump(path); }), "s");
  subject.stop();
  CHECK(std::filesystem::file_size(path) > 1'000'000);
}

} // namespace

TEST_CASE("gpu cost: a dump of 100,000 entries with deep stacks") {
  measure_dump(false, "deep.pickle");
}

// Can take minutes, so run.sh runs it by itself, and last.
TEST_CASE("gpu cost of PyTorch: a dump of 100,000 entries with deep stacks") {
  measure_dump(true, "pytorch.pickle");
}
