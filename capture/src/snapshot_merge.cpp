#include "snapshot_merge.hpp"

#include <cstddef>
#include <iterator>
#include <utility>

namespace memviz::capture {
namespace {

void append_stacks(std::vector<std::vector<std::uint32_t>> stacks, std::uint32_t first_frame, SnapshotData& to) {
  for (std::vector<std::uint32_t>& stack : stacks) {
    for (std::uint32_t& frame : stack)
      frame += first_frame;
    to.stacks.push_back(std::move(stack));
  }
}

} // namespace

void append_device(SnapshotData from, int device, SnapshotData& to) {
  const auto first_frame = static_cast<std::uint32_t>(to.frames.size());
  const auto first_stack = static_cast<StackIndex>(to.stacks.size());
  std::move(from.frames.begin(), from.frames.end(), std::back_inserter(to.frames));
  append_stacks(std::move(from.stacks), first_frame, to);
  const auto moved = [first_stack](StackIndex stack) { return stack == kNoStack ? kNoStack : stack + first_stack; };

  for (SegmentData& segment : from.segments) {
    segment.device = device;
    segment.stack = moved(segment.stack);
    for (BlockData& block : segment.blocks)
      block.stack = moved(block.stack);
    to.segments.push_back(std::move(segment));
  }
  const auto index = static_cast<std::size_t>(device);
  if (to.traces.size() <= index) to.traces.resize(index + 1);
  if (!from.traces.empty()) to.traces[index] = std::move(from.traces.front());
  for (EventData& event : to.traces[index])
    event.stack = moved(event.stack);
  std::move(from.settings.begin(), from.settings.end(), std::back_inserter(to.settings));
}

} // namespace memviz::capture
