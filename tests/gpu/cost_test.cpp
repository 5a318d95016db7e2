// The cost of recording.
#include "support.hpp"

#include "memviz/capture/recorder.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <string>

using memviz::capture::Recorder;
using memviz::capture::RecorderOptions;
using memviz::gpu::report;

namespace {

constexpr std::size_t kMaxEntries = 1'000'000;
constexpr double kEventsPerPair = 3; // alloc, free_requested, free_completed
constexpr int kDeepFrames = 60;

/// Allocates and frees from the allocator's cache, without CUDA itself.
void allocate_and_free(std::uint64_t pairs, int frames) {
  const at::TensorOptions options = at::TensorOptions().device(at::kCUDA).dtype(at::kByte);
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    // 64 different stacks: programs allocate at a few thousand places, again and again.
    memviz::gpu::call_below(frames, pair % 64, [&] { at::empty({1024}, options); });
  }
}

RecorderOptions options_of(bool has_stacks) {
  RecorderOptions options;
  options.context = has_stacks ? "all" : "";
  options.max_entries = kMaxEntries;
  return options;
}

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
      Recorder recorder;
      recorder.start(options_of(has_stacks));
      allocate_and_free(1000, frames);
      const std::int64_t bytes_before = memviz::gpu::resident_bytes();
      const double with = memviz::gpu::seconds_of(run);
      const auto bytes = static_cast<double>(memviz::gpu::resident_bytes() - bytes_before);
      const std::string name = has_stacks ? "stacks" : "no_stacks";
      report(name + ".ns_per_event" + suffix, (with - without) / kPairs / kEventsPerPair * 1e9, "ns");
      report(name + ".host_bytes_per_event" + suffix, bytes / kPairs / kEventsPerPair, "bytes");
    }
  }
}

TEST_CASE("gpu cost: a dump of 100,000 entries with deep stacks") {
  Recorder recorder;
  recorder.start(options_of(true));
  allocate_and_free(33'334, kDeepFrames);
  const std::filesystem::path path = memviz::gpu::out_folder() / "deep.pickle";
  report("dump_seconds", memviz::gpu::seconds_of([&] { recorder.dump(path); }), "s");
  report("dump_bytes", static_cast<double>(std::filesystem::file_size(path)), "bytes");
  report("dump_again_seconds", memviz::gpu::seconds_of([&] { recorder.dump(path); }), "s");
  CHECK(std::filesystem::file_size(path) > 1'000'000);
}
