#include "analysis/replay/rewind.hpp"

#include "memviz/allocator_settings.hpp"

#include <algorithm>
#include <utility>

namespace memviz {

namespace {

EventIndex alloc_event_of(const NumberMap& live, const Block& block) {
  const auto birth = block.is_active() ? live.find(block.address) : std::nullopt;
  return birth ? Birth::unpacked(*birth).event : kNoEvent;
}

} // namespace

Rewinder::Rewinder(const Recording& recording) : recording_(recording), rounding_(recording) {
  for (const Segment& segment : recording.end.segments)
    spare_bytes_ -= segment.total_bytes; // the reader keeps their sum below kMaxTotalBytes
  memory_.segments.reserve(recording.end.segments.size());
  memory_.blocks.reserve(recording.end.blocks.size());
  facts_.reserve(recording.end.blocks.size());
}

void Rewinder::push(const Block& block, const BlockHistory& history) {
  memory_.blocks.push_back(block);
  facts_.push_back({history});
}

void Rewinder::keep(std::size_t first_segment, std::size_t count, const NumberMap& live) {
  for (std::size_t i = first_segment; i < first_segment + count; ++i) {
    Segment segment = recording_.end.segments[i];
    const auto blocks = recording_.end.blocks_of(segment);
    segment.first_block = static_cast<std::uint32_t>(memory_.blocks.size());
    memory_.segments.push_back(segment);
    for (const Block& block : blocks)
      push(block, {.alloc_event = alloc_event_of(live, block)});
  }
}

Unplaced Rewinder::rewind(std::size_t first_segment, std::size_t count, const MomentLog& log, const NumberMap& live) {
  SegmentUndo undo(log.device(), spare_bytes_);
  for (std::size_t i = first_segment; i < first_segment + count; ++i)
    undo.add(recording_.end.segments[i], i);
  for (auto event = log.segment_events().rbegin(); event != log.segment_events().rend(); ++event)
    undo.undo(*event, log.pools());

  freed_starts_ = log.freed_starts();
  Unplaced unplaced;
  unplaced.misfits.segment_events = undo.misfits();
  unplaced.misfits.segment_bytes = undo.misfit_bytes();
  const Pasts pasts = pasts_of(first_segment, count, log, live);
  auto next = pasts.begin();
  for (const PastSegment& past : undo.segments()) {
    const Segment& segment = past.segment;
    for (; next != pasts.end() && next->block.address < segment.address; ++next)
      unplaced.outside.push_back(next->outside(next->block.requested_bytes));
    const auto first = next;
    while (next != pasts.end() && next->block.address - segment.address < segment.total_bytes)
      ++next;
    add(past, {first, next}, unplaced);
  }
  for (; next != pasts.end(); ++next)
    unplaced.outside.push_back(next->outside(next->block.requested_bytes));
  return unplaced;
}

Rewinder::Pasts Rewinder::pasts_of(std::size_t first_segment, std::size_t count, const MomentLog& log,
                                   const NumberMap& live) const {
  Pasts pasts;
  for (std::size_t i = first_segment; i < first_segment + count; ++i) {
    for (const Block& block : recording_.end.blocks_of(recording_.end.segments[i])) {
      if (!block.is_active()) continue;
      const EventIndex alloc_event = alloc_event_of(live, block);
      if (alloc_event > log.moment()) continue;
      Past past{block, alloc_event, kNoEvent, true, true};
      // Some files have stacks only on events.
      const auto birth = live.find(block.address);
      if (birth && recording_.frames.stack(block.stack).empty()) {
        past.block.stack = Birth::unpacked(*birth).stack;
        past.is_as_at_end = recording_.frames.stack(past.block.stack).empty();
      }
      if (block.state == BlockState::active_pending_free && !log.is_free_pending(block.address)) {
        past.block.state = BlockState::active_allocated;
        past.is_as_at_end = false;
      }
      pasts.push_back(past);
    }
  }
  for (const Death& death : log.deaths()) {
    const bool has_stack = !death.birth.event.is_none() || log.frees_have_stacks_of_allocs();
    const bool is_pending = death.is_free_pending || (death.has_no_request && log.requests_are_recorded());
    const auto state = is_pending ? BlockState::active_pending_free : BlockState::active_allocated;
    pasts.push_back({{death.address, 0, death.requested_bytes, state, has_stack ? death.birth.stack : kNoFrames},
                     death.birth.event,
                     death.event});
  }
  // The state at the end is better evidence than an event.
  std::ranges::stable_sort(pasts,
                           [](const Past& one, const Past& other) { return one.block.address < other.block.address; });
  return pasts;
}

bool Rewinder::is_as_at_end(const PastSegment& past, std::span<const Past> inside) const {
  if (!past.origin) return false;
  const auto blocks = recording_.end.blocks_of(recording_.end.segments[*past.origin]);
  const auto active = std::ranges::count_if(blocks, [](const Block& block) { return block.is_active(); });
  return static_cast<std::size_t>(active) == inside.size() &&
         std::ranges::all_of(inside, [](const Past& live) { return live.is_as_at_end; });
}

void Rewinder::add(const PastSegment& past, std::span<const Past> inside, Unplaced& unplaced) {
  Segment segment = past.segment;
  segment.first_block = static_cast<std::uint32_t>(memory_.blocks.size());
  if (is_as_at_end(past, inside)) {
    auto live = inside.begin();
    for (const Block& block : recording_.end.blocks_of(recording_.end.segments[*past.origin]))
      push(block, {.alloc_event = block.is_active() ? (live++)->alloc_event : kNoEvent});
  } else {
    segment.uncovered_bytes = 0;
    rebuild(segment, inside, unplaced);
    segment.block_count = static_cast<std::uint32_t>(memory_.blocks.size() - segment.first_block);
  }
  memory_.segments.push_back(segment);
}

/// Returns the end of the room of each allocation: the start of the next one or, for allocations of known size, the
/// start of the next of these, so that an event that contradicts the file's blocks takes nothing from them.
std::vector<std::uint64_t> Rewinder::room_ends(std::span<const Past> inside, std::uint64_t end) {
  std::vector<std::uint64_t> ends(inside.size());
  std::uint64_t next_start = end; // for whatever begins at a higher address
  std::uint64_t current_start = end;
  std::uint64_t next_known = end;
  for (std::size_t i = inside.size(); i-- > 0;) {
    const Block& block = inside[i].block;
    if (block.address < current_start) next_start = std::exchange(current_start, block.address);
    ends[i] = inside[i].has_known_size() ? next_known : next_start;
    if (inside[i].has_known_size()) next_known = block.address;
  }
  return ends;
}

/// A neighbour that was gone by the moment may have left less room when the block was made.
std::uint64_t Rewinder::block_bytes(const Past& past, std::uint64_t room_bytes, const Segment& segment) const {
  const Block& block = past.block;
  const std::uint64_t bytes = rounding_.block_bytes(block.requested_bytes, room_bytes, segment);
  const std::uint64_t reach_bytes = bytes + std::min(room_bytes - bytes, kSmallRequestBytes);
  const auto neighbour =
      first_freed_since(freed_starts_, block.address + bytes, block.address + reach_bytes, past.alloc_event);
  return neighbour ? rounding_.block_bytes(block.requested_bytes, *neighbour - block.address, segment) : bytes;
}

void Rewinder::rebuild(const Segment& segment, std::span<const Past> inside, Unplaced& unplaced) {
  const std::uint64_t end = segment.address + segment.total_bytes;
  std::uint64_t address = segment.address;
  const auto fill_to = [&](std::uint64_t next) {
    if (next > address) push({address, next - address, 0, BlockState::inactive, kNoFrames}, {.is_kept = false});
  };
  const auto ends = room_ends(inside, end);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    Block block = inside[i].block;
    if (block.address < address) {
      unplaced.outside.push_back(inside[i].outside(block.requested_bytes));
      continue;
    }
    fill_to(block.address);
    const std::uint64_t room_bytes = ends[i] - block.address;
    block.size_bytes = inside[i].has_known_size() ? std::min(block.size_bytes, room_bytes)
                                                  : block_bytes(inside[i], room_bytes, segment);
    if (block.requested_bytes > block.size_bytes) {
      unplaced.outside.push_back(inside[i].outside(block.requested_bytes - block.size_bytes));
      block.requested_bytes = block.size_bytes;
    }
    push(block, {inside[i].alloc_event, inside[i].free_event, inside[i].is_kept});
    address = block.address + block.size_bytes;
  }
  fill_to(end);
}

} // namespace memviz
