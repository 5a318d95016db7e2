#include "cuda_snapshot.hpp"

#include "context_stacks.hpp"

#include <utility>

namespace memviz::capture {
namespace {

using libtorch::allocator::BlockInfo;
using libtorch::allocator::SegmentInfo;
using libtorch::allocator::SnapshotInfo;
using libtorch::allocator::TraceEntry;

const char* action_name(TraceEntry::Action action) {
  switch (action) {
  case TraceEntry::ALLOC: return "alloc";
  case TraceEntry::FREE_REQUESTED: return "free_requested";
  case TraceEntry::FREE_COMPLETED: return "free_completed";
  case TraceEntry::SEGMENT_ALLOC: return "segment_alloc";
  case TraceEntry::SEGMENT_FREE: return "segment_free";
  case TraceEntry::SEGMENT_MAP: return "segment_map";
  case TraceEntry::SEGMENT_UNMAP: return "segment_unmap";
  case TraceEntry::SNAPSHOT: return "snapshot";
  case TraceEntry::OOM: return "oom";
  default: return "unknown"; // of a newer LibTorch
  }
}

const char* state_name(const BlockInfo& block) {
  if (block.allocated) return "active_allocated";
  return block.active ? "active_pending_free" : "inactive";
}

void add_contexts(const SnapshotInfo& info, ContextStacks& stacks) {
  for (const SegmentInfo& segment : info.segments) {
    stacks.add(segment.context_when_allocated.get());
    for (const BlockInfo& block : segment.blocks)
      stacks.add(block.context_when_allocated.get());
  }
  for (const auto& trace : info.device_traces) {
    for (const TraceEntry& entry : trace)
      stacks.add(entry.context_.get());
  }
}

SegmentData convert(const SegmentInfo& info, const ContextStacks& stacks) {
  SegmentData segment;
  segment.device = info.device;
  segment.address = info.address;
  segment.total_size = info.total_size;
  segment.stream = libtorch::stream_number(info.stream);
  segment.is_large = info.is_large;
  segment.is_expandable = info.is_expandable;
  segment.pool = {info.owner_private_pool_id.first, info.owner_private_pool_id.second};
  segment.stack = stacks[info.context_when_allocated.get()];
  std::uint64_t address = info.address;
  for (const BlockInfo& block : info.blocks) {
    segment.blocks.push_back(
        {address, block.size, block.requested_size, state_name(block), stacks[block.context_when_allocated.get()]});
    address += block.size;
  }
  return segment;
}

EventData convert(const TraceEntry& entry, const ContextStacks& stacks) {
  EventData event;
  event.action = action_name(entry.action_);
  event.address = entry.addr_;
  event.size = entry.size_;
  event.stream = libtorch::stream_number(entry.stream_);
  event.time_us = entry.time_.t_;
  event.pool = libtorch::pool_of(entry);
  event.stack = stacks[entry.context_.get()];
  event.compile_context = libtorch::compile_context_of(entry);
  event.user_metadata = libtorch::user_metadata_of(entry);
  return event;
}

} // namespace

SnapshotData make_cuda_snapshot(const SnapshotInfo& info) {
  SnapshotData snapshot;
  ContextStacks stacks;
  add_contexts(info, stacks);
  stacks.finish(snapshot);
  for (const SegmentInfo& segment : info.segments)
    snapshot.segments.push_back(convert(segment, stacks));
  for (const auto& device_trace : info.device_traces) {
    std::vector<EventData>& trace = snapshot.traces.emplace_back();
    trace.reserve(device_trace.size());
    for (const TraceEntry& entry : device_trace)
      trace.push_back(convert(entry, stacks));
  }
  snapshot.annotations = libtorch::annotations_of(info);
  snapshot.settings = libtorch::settings_of(info.config_metadata);
  return snapshot;
}

} // namespace memviz::capture
