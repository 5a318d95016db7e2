#include "device.hpp"

#include <algorithm>

namespace memviz::bench {

namespace {

/// PyTorch's: a segment of this size is a small one.
constexpr std::uint64_t kSmallChunkBytes = 2 << 20;

} // namespace

/// A place for a block; where there is none, a chunk gets mapped, by the same stack.
std::uint32_t Device::take_slot(Arena& arena, const List& list) {
  if (arena.free_slots.empty()) {
    if (arena.unmapped_chunks.empty()) add_chunk(arena);
    const std::uint32_t chunk = arena.unmapped_chunks.back();
    arena.unmapped_chunks.pop_back();
    const std::uint32_t first = chunks_[chunk].first_slot;
    for (auto slot = static_cast<std::uint32_t>(arena.chunk_bytes / arena.block_bytes); slot > 0; --slot)
      arena.free_slots.push_back(first + slot - 1);
    chunks_[chunk].is_mapped = !list.exists;
    if (list.exists)
      push_at(arena.is_expandable ? Action::segment_map : Action::segment_alloc, first, arena.chunk_bytes, list);
  }
  const std::uint32_t slot = arena.free_slots.back();
  arena.free_slots.pop_back();
  ++chunks_[slots_[slot].chunk].used_slots;
  return slot;
}

void Device::return_slot(std::uint32_t slot) {
  Chunk& chunk = chunks_[slots_[slot].chunk];
  --chunk.used_slots;
  arenas_[chunk.arena].free_slots.push_back(slot);
}

void Device::add_chunk(Arena& arena) {
  const auto number = static_cast<std::uint32_t>(chunks_.size());
  Chunk& chunk = chunks_.emplace_back();
  std::uint64_t& address = arena.is_expandable ? arena.next_address : next_address_;
  chunk.arena = static_cast<std::uint32_t>(&arena - arenas_.data());
  chunk.first_slot = static_cast<std::uint32_t>(slots_.size());
  chunk.address = address;
  address += arena.chunk_bytes;
  for (std::uint64_t at = 0; at < arena.chunk_bytes; at += arena.block_bytes) {
    Slot& slot = slots_.emplace_back();
    slot.chunk = number;
    slot.address = chunk.address + at;
  }
  arena.chunks.push_back(number);
  arena.unmapped_chunks.push_back(number);
}

void Device::apply(const Event& event) {
  if (event.action == Action::snapshot) return;
  Slot& slot = slots_[event.slot];
  Chunk& chunk = chunks_[slot.chunk];
  switch (event.action) {
  case Action::alloc:
    slot.state = State::active_allocated;
    slot.requested = event.size;
    slot.list = event.own;
    active_bytes_ += event.size;
    break;
  case Action::free_requested: slot.state = State::active_pending_free; break;
  case Action::free_completed:
    slot.state = State::inactive;
    active_bytes_ -= event.size;
    break;
  case Action::segment_alloc:
  case Action::segment_map:
    chunk.is_mapped = true;
    chunk.list = event.own;
    break;
  case Action::segment_free:
  case Action::segment_unmap: chunk.is_mapped = false; break;
  case Action::snapshot: break;
  }
}

std::vector<Segment> Device::segments() const {
  std::vector<const Chunk*> mapped;
  for (const Chunk& chunk : chunks_)
    if (chunk.is_mapped) mapped.push_back(&chunk);
  std::sort(mapped.begin(), mapped.end(), [](const Chunk* a, const Chunk* b) { return a->address < b->address; });

  std::vector<Segment> made;
  for (const Chunk* chunk : mapped) {
    const Arena& arena = arenas_[chunk->arena];
    // Mapped ranges of an expandable segment that touch are one segment.
    const bool continues = arena.is_expandable && !made.empty() && made.back().is_expandable &&
                           made.back().address + made.back().total == chunk->address;
    if (!continues) made.push_back(segment_at(*chunk));
    append_blocks(made.back(), *chunk);
  }
  return made;
}

Segment Device::segment_at(const Chunk& chunk) const {
  const Arena& arena = arenas_[chunk.arena];
  Segment segment;
  segment.address = chunk.address;
  segment.stream = arena.stream;
  segment.pool = arena.pool;
  segment.is_expandable = arena.is_expandable;
  segment.is_large = arena.chunk_bytes > kSmallChunkBytes;
  segment.list = chunk.list;
  return segment;
}

/// Neighbours that are free are one block, as in PyTorch.
void Device::append_blocks(Segment& segment, const Chunk& chunk) const {
  const Arena& arena = arenas_[chunk.arena];
  segment.total += arena.chunk_bytes;
  for (std::uint64_t i = 0; i < arena.chunk_bytes / arena.block_bytes; ++i) {
    const Slot& slot = slots_[chunk.first_slot + i];
    const bool is_inactive = slot.state == State::inactive;
    if (is_inactive && !segment.blocks.empty() && segment.blocks.back().state == State::inactive) {
      segment.blocks.back().size += arena.block_bytes;
      continue;
    }
    // The requested size of a free block is stale: PyTorch leaves what the last owner asked for.
    segment.blocks.push_back(
        {slot.address, arena.block_bytes, slot.requested, slot.state, is_inactive ? List{} : slot.list});
  }
}

} // namespace memviz::bench
