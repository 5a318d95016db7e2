#include "device.hpp"

#include <algorithm>
#include <array>

namespace memviz::bench {

namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

struct SizeClass {
  std::uint64_t block_bytes;
  std::uint64_t chunk_bytes;
  std::uint32_t per_mille; ///< of the allocations
};
constexpr std::array<SizeClass, 11> kSizes = {{{512, 2 * kMiB, 247},
                                               {4 * kKiB, 2 * kMiB, 200},
                                               {32 * kKiB, 2 * kMiB, 160},
                                               {256 * kKiB, 2 * kMiB, 120},
                                               {kMiB, 2 * kMiB, 100},
                                               {2 * kMiB, 20 * kMiB, 80},
                                               {10 * kMiB, 20 * kMiB, 55},
                                               {40 * kMiB, 40 * kMiB, 28},
                                               {128 * kMiB, 128 * kMiB, 7},
                                               {512 * kMiB, 512 * kMiB, 2},
                                               {3072 * kMiB, 3072 * kMiB, 1}}};

struct Heap {
  std::int64_t stream;
  std::uint32_t pool;
  bool has_expandable;
  std::uint32_t per_mille;
};
constexpr std::array<Heap, 3> kHeaps = {
    {{0, 0, true, 820}, {0x5581a0c3e40, 0, false, 120}, {0x5581a0d7f10, 1, false, 60}}};

constexpr std::uint32_t kBaselineBlocks = 240;
constexpr std::uint32_t kKeptBlocks = 200; ///< never freed; the other blocks of the baseline are, in time
constexpr std::uint32_t kFewestBlocks = 300;
constexpr std::uint32_t kMostBlocks = 4000;
constexpr std::uint64_t kStepEvents = 24'000; ///< a training step: memory grows in its first half and shrinks then
constexpr std::uint64_t kPendingEvents = 300; ///< how long another stream goes on using what was freed
constexpr std::uint64_t kEventNumbers = std::uint64_t{1} << 48U;

} // namespace

Device::Device(std::uint32_t index, std::uint64_t seed, const Program& program)
    : random_(seed * 31 + index), program_(program), number_(std::uint64_t{index} * kEventNumbers),
      next_address_(0x7f0000000000ULL + index * 0x4000000000ULL) {
  std::uint64_t expandable_address = 0x600000000ULL + index * 0x100000000000ULL;
  for (const Heap& heap : kHeaps)
    for (const SizeClass& size : kSizes) {
      Arena& arena = arenas_.emplace_back();
      arena.block_bytes = size.block_bytes;
      arena.chunk_bytes = size.chunk_bytes;
      arena.stream = heap.stream;
      arena.pool = heap.pool;
      arena.is_expandable = heap.has_expandable && size.block_bytes >= kMiB;
      arena.next_address = expandable_address;
      if (arena.is_expandable) expandable_address += 0x2000000000;
    }
  add_baseline();
}

void Device::add_baseline() {
  for (std::uint32_t i = 0; i < kBaselineBlocks; ++i) {
    const Arena& arena = arenas_[i % kSizes.size() % 8];
    const std::uint32_t slot = take_slot(arenas_[i % kSizes.size() % 8], List{});
    slots_[slot].state = State::active_allocated;
    slots_[slot].requested = random_request(arena);
    active_bytes_ += slots_[slot].requested;
    live_.push_back(slot);
  }
}

Event Device::next() {
  while (queue_.empty())
    decide();
  const Event event = queue_.front();
  queue_.pop_front();
  ++number_;
  apply(event);
  return event;
}

void Device::decide() {
  const std::uint64_t done = number_ % kEventNumbers;
  time_us_ += random_.below(20);
  if (!pending_.empty() && pending_.front().due <= number_) {
    push(pending_.front().event);
    return_slot(pending_.front().event.slot);
    pending_.pop_front();
  } else if (done >= next_cache_) {
    next_cache_ += kCacheEvents;
    empty_cache();
  } else if (done >= next_snapshot_) {
    next_snapshot_ += kSnapshotEvents;
    Event event;
    event.action = Action::snapshot;
    event.size = active_bytes_;
    event.own = new_list(true);
    push(event);
  } else if (wants_more()) {
    allocate();
  } else {
    release();
  }
}

bool Device::wants_more() {
  const auto live = static_cast<std::uint32_t>(live_.size());
  if (live < kFewestBlocks) return true;
  if (live > kMostBlocks) return false;
  const bool grows = number_ % kStepEvents < kStepEvents / 2;
  return random_.below(8) < (grows ? 5U : 3U);
}

void Device::allocate() {
  Arena& arena = random_arena();
  const List list = new_list(false);
  const std::uint32_t slot = take_slot(arena, list);
  push_at(Action::alloc, slot, random_request(arena), list);
  live_.push_back(slot);
}

void Device::release() {
  // Most of what is freed is young.
  const auto freeable = static_cast<std::uint32_t>(live_.size()) - kKeptBlocks;
  const std::uint32_t age = random_.one_in(8) ? random_.below(freeable) : random_.below(std::min(64U, freeable));
  std::uint32_t& place = live_[live_.size() - 1 - age];
  const std::uint32_t slot = place;
  place = live_.back();
  live_.pop_back();

  const List list = new_list(true);
  push_at(Action::free_requested, slot, slots_[slot].requested, list);
  push_at(Action::free_completed, slot, slots_[slot].requested, list);
  if (random_.one_in(64)) {
    pending_.push_back({number_ + kPendingEvents, queue_.back()});
    queue_.pop_back();
  } else {
    return_slot(slot);
  }
}

void Device::empty_cache() {
  const List list = new_list(true);
  for (Arena& arena : arenas_)
    for (const std::uint32_t chunk : arena.chunks) {
      if (!chunks_[chunk].is_mapped || chunks_[chunk].used_slots != 0) continue;
      push_at(arena.is_expandable ? Action::segment_unmap : Action::segment_free, chunks_[chunk].first_slot,
              arena.chunk_bytes, list);
      arena.unmapped_chunks.push_back(chunk);
      std::erase_if(arena.free_slots, [&](std::uint32_t slot) { return slots_[slot].chunk == chunk; });
    }
}

void Device::push_at(Action action, std::uint32_t slot, std::uint64_t size, const List& list) {
  const Arena& arena = arenas_[chunks_[slots_[slot].chunk].arena];
  Event event;
  event.action = action;
  event.address = slots_[slot].address;
  event.size = size;
  event.stream = arena.stream;
  event.pool = arena.pool;
  event.slot = slot;
  event.own = list;
  event.allocation = slots_[slot].list;
  push(event);
}

/// Events are numbered in the order in which next() gives them.
void Device::push(Event event) {
  event.number = number_ + queue_.size();
  event.time_us = time_us_;
  queue_.push_back(event);
}

/// Of an event that is decided on while none is waiting.
List Device::new_list(bool is_freed) {
  const std::uint32_t first = is_freed ? program_.allocating_stacks : 0;
  const auto last = is_freed ? static_cast<std::uint32_t>(program_.stacks.size()) : program_.allocating_stacks;
  // The lower of two throws: some stacks are far more frequent than others.
  const std::uint32_t stack = first + std::min(random_.below(last - first), random_.below(last - first));
  return {stack, number_, true};
}

std::uint64_t Device::random_request(const Arena& arena) {
  if (!random_.one_in(4)) return arena.block_bytes;
  const auto half = static_cast<std::uint32_t>(arena.block_bytes / 2);
  return arena.block_bytes - random_.below(half);
}

Device::Arena& Device::random_arena() {
  std::uint32_t heap = 0;
  for (std::uint32_t left = random_.below(1000); left >= kHeaps[heap].per_mille; ++heap)
    left -= kHeaps[heap].per_mille;
  std::uint32_t size = 0;
  for (std::uint32_t left = random_.below(1000); left >= kSizes[size].per_mille; ++size)
    left -= kSizes[size].per_mille;
  return arenas_[heap * kSizes.size() + size];
}

} // namespace memviz::bench
