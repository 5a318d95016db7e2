#include "cpu_snapshot.hpp"

#include "operator_frames.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace memviz::capture {
namespace {

/// PyTorch's "small" blocks are up to 1 MiB.
constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20U;

/// Gives each pair of native stack and operators in use one stack of the snapshot.
class StackMerger {
public:
  StackMerger(const CpuHistory& history, SnapshotData& snapshot)
      : history_(history), snapshot_(snapshot), first_native_(add_native_stacks(history.native_stacks(), snapshot)) {}

  StackIndex operator()(const StackPair& pair) {
    if (pair == StackPair{}) return kNoStack;
    if (pair.operators == kNoStack) return first_native_ + pair.native;
    const auto [place, is_new] = merged_.try_emplace(pair, kNoStack);
    if (is_new) place->second = merge(pair);
    return place->second;
  }

private:
  StackIndex merge(const StackPair& pair) {
    static const std::vector<std::uint32_t> none;
    const auto operators = operator_frames(pair.operators);
    const auto& native = pair.native == kNoStack ? none : snapshot_.stacks[first_native_ + pair.native];
    std::vector<std::uint32_t> stack = merge_operators(native, operators, snapshot_.frames);
    snapshot_.stacks.push_back(std::move(stack));
    return static_cast<StackIndex>(snapshot_.stacks.size() - 1);
  }

  std::vector<OperatorFrame> operator_frames(StackIndex operators) {
    std::vector<OperatorFrame> frames;
    for (void* element : history_.operator_stacks()[operators]) {
      const auto* const name = static_cast<const std::string*>(element);
      const auto [place, is_new] =
          frame_of_name_.try_emplace(name, static_cast<std::uint32_t>(snapshot_.frames.size()));
      if (is_new) snapshot_.frames.push_back({*name, "operator", 0});
      frames.push_back({name, place->second});
    }
    std::reverse(frames.begin(), frames.end()); // to outermost first
    return frames;
  }

  const CpuHistory& history_;
  SnapshotData& snapshot_;
  StackIndex first_native_;
  std::map<StackPair, StackIndex> merged_;
  std::map<const std::string*, std::uint32_t> frame_of_name_;
};

SegmentData segment_of(const LiveAllocation& allocation, StackIndex stack) {
  SegmentData segment;
  segment.address = allocation.address;
  segment.total_size = allocation.bytes;
  segment.is_large = allocation.bytes > kSmallBytes;
  segment.stack = stack;
  segment.blocks.push_back({allocation.address, allocation.bytes, allocation.bytes, "active_allocated", stack});
  return segment;
}

/// The events of a record, in an order that is consistent: a segment is there while its block is.
std::vector<const char*> actions_of(CpuRecord::Kind kind) {
  switch (kind) {
  case CpuRecord::Kind::allocation: return {"segment_alloc", "alloc"};
  case CpuRecord::Kind::free: return {"free_requested", "free_completed", "segment_free"};
  case CpuRecord::Kind::out_of_memory: return {"oom"};
  }
  return {};
}

} // namespace

SnapshotData make_cpu_snapshot(const CpuHistory& history, std::vector<LiveAllocation> live,
                               const RecordingOptions& options) {
  SnapshotData snapshot;
  StackMerger merge(history, snapshot);
  std::sort(live.begin(), live.end(), [](const auto& left, const auto& right) { return left.address < right.address; });
  for (const LiveAllocation& allocation : live) {
    snapshot.segments.push_back(segment_of(allocation, merge(history.live_stack(allocation.address))));
  }
  std::vector<EventData>& trace = snapshot.traces.emplace_back();
  const auto& skipped = options.skip_actions;
  for (const CpuRecord& record : history.records()) {
    EventData event;
    event.address = record.address;
    event.size = record.bytes;
    event.time_us = record.time_us;
    event.stack = merge(record.stack);
    for (const char* action : actions_of(record.kind)) {
      if (std::find(skipped.begin(), skipped.end(), action) != skipped.end()) continue;
      event.action = action;
      trace.push_back(event);
    }
  }
  snapshot.settings = {{"memviz_recording", std::string("cpu")},
                       {"trace_alloc_max_entries", static_cast<std::int64_t>(options.max_entries)},
                       {"trace_alloc_overflowed", std::int64_t{history.is_overflowed()}}};
  return snapshot;
}

} // namespace memviz::capture
