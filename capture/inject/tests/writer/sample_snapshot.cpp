#include "sample_snapshot.hpp"

namespace memviz::capture {
namespace {

constexpr std::uint64_t kFirst = 0x7F0000000000;
constexpr std::uint64_t kHigh = 0xFFFF800000000000;
constexpr std::int64_t kStart = 1'700'000'000'000'000;

EventData event(const char* action, std::uint64_t address, std::uint64_t size, StackIndex stack) {
  EventData made;
  made.action = action;
  made.address = address;
  made.size = size;
  made.time_us = kStart + static_cast<std::int64_t>(address % 4096);
  made.stack = stack;
  return made;
}

SegmentData segment(int device, std::uint64_t address, std::vector<BlockData> blocks) {
  SegmentData made;
  made.device = device;
  made.address = address;
  made.blocks = std::move(blocks);
  for (const BlockData& block : made.blocks)
    made.total_size += block.size;
  made.stack = 0;
  return made;
}

} // namespace

SnapshotData sample_snapshot() {
  SnapshotData snapshot;
  snapshot.frames = {{"main", "/home/user/main.cpp", 3},
                     {"forward(at::Tensor const&)", "/home/user/model.cpp", 70000},
                     {"caf\xC3\xA9 \xFF", "/home/user/\xE2\x82", 12},
                     {"??", "??", 0}};
  snapshot.stacks = {{0}, {1, 0}, {2, 3, 1, 0}};

  SegmentData small = segment(0, kFirst,
                              {{kFirst, 1024, 1000, "active_allocated", 1},
                               {kFirst + 1024, 512, 512, "active_pending_free", 2},
                               {kFirst + 1536, 2096128, 4096, "inactive", kNoStack}});
  SegmentData large = segment(1, kHigh, {{kHigh, 1U << 31U, 3U << 29U, "active_allocated", 2}});
  large.is_large = true;
  large.is_expandable = true;
  large.stream = -5'000'000'000;
  large.pool = {0, 300};
  snapshot.segments = {small, large};

  snapshot.traces = {{event("segment_alloc", kFirst, 2097664, 0), event("alloc", kFirst, 1000, 1),
                      event("alloc", kFirst + 1024, 512, 2), event("alloc", kFirst + 1536, 4096, kNoStack),
                      event("free_requested", kFirst + 1536, 4096, 1), event("free_completed", kFirst + 1536, 4096, 1),
                      event("free_requested", kFirst + 1024, 512, 2)},
                     {event("segment_map", kHigh, 1U << 31U, 0), event("alloc", kHigh, 3U << 29U, 2),
                      event("oom", 123456, 1ULL << 40U, 1)}};
  for (EventData& made : snapshot.traces[1]) {
    made.stream = large.stream;
    made.pool = large.pool;
    made.user_metadata = "step 1";
  }
  snapshot.annotations = {{"step", "START", 0, kStart}, {"step", "END", 0, kStart + 9}};
  snapshot.settings = {
      {"PYTORCH_CUDA_ALLOC_CONF", std::string("expandable_segments:True")},
      {"max_split_size", std::int64_t{-1}},
      {"garbage_collection_threshold", 0.25},
      {"expandable_segments", true},
      {"roundup_power2_divisions", std::vector<std::pair<std::string, std::int64_t>>{{"1", 0}, {"2", 4}}}};
  return snapshot;
}

} // namespace memviz::capture
