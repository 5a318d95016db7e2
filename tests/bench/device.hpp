#pragma once

// One device of the invented program: a caching allocator reduced to what its trace and its blocks look like. It gives
// one event after the other and keeps only what is in the device's memory, so that a trace of any length can be walked
// twice: once for the blocks at its end, which a snapshot holds first, once for the events.

#include "program.hpp"
#include "random.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace memviz::bench {

enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
};

/// The list of frames of an event, known by the number of the event that had it first.
struct List {
  std::uint32_t stack = 0;
  std::uint64_t born = 0;
  bool exists = false; ///< false: from before the recording, without frames
};

struct Event {
  Action action = Action::alloc;
  std::uint64_t number = 0; ///< no two events of a snapshot have the same
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::int64_t stream = 0;
  std::int64_t time_us = 0;
  std::uint32_t pool = 0;
  std::uint32_t slot = 0; ///< the place in memory; at most one allocation lives there
  List own;               ///< the stack where this happened
  List allocation;        ///< of what is freed: the stack where it was allocated
};

enum class State : std::uint8_t { inactive, active_allocated, active_pending_free };

struct Block {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t requested = 0;
  State state = State::inactive;
  List list;
};

struct Segment {
  std::uint64_t address = 0;
  std::uint64_t total = 0;
  std::int64_t stream = 0;
  std::uint32_t pool = 0;
  bool is_expandable = false;
  bool is_large = false;
  List list;
  std::vector<Block> blocks;
};

class Device {
public:
  Device(std::uint32_t index, std::uint64_t seed, const Program& program);

  /// The next event; segments() then tells the memory after it.
  Event next();

  /// The device's memory after the events so far, sorted by address.
  [[nodiscard]] std::vector<Segment> segments() const;

private:
  static constexpr std::uint64_t kCacheEvents = 500'000; ///< from one empty_cache() to the next
  static constexpr std::uint64_t kSnapshotEvents = 700'000;

  /// What is one block while it is in use.
  struct Slot {
    std::uint32_t chunk = 0;
    State state = State::inactive;
    std::uint64_t address = 0;
    std::uint64_t requested = 0;
    List list;
  };
  /// Memory from one cudaMalloc, or one mapping of an expandable segment.
  struct Chunk {
    std::uint32_t arena = 0;
    std::uint32_t first_slot = 0;
    std::uint32_t used_slots = 0;
    bool is_mapped = false;
    std::uint64_t address = 0;
    List list;
  };
  /// Memory of one stream and one size of blocks.
  struct Arena {
    std::uint64_t block_bytes = 0;
    std::uint64_t chunk_bytes = 0;
    std::int64_t stream = 0;
    std::uint32_t pool = 0;
    bool is_expandable = false;
    std::uint64_t next_address = 0; ///< of an expandable segment
    std::vector<std::uint32_t> chunks;
    std::vector<std::uint32_t> free_slots;
    std::vector<std::uint32_t> unmapped_chunks;
  };
  struct Pending {
    std::uint64_t due = 0;
    Event event;
  };

  void add_arenas(std::uint32_t index);
  void add_chunk(Arena& arena);
  void add_baseline();
  Arena& random_arena();
  std::uint32_t take_slot(Arena& arena, const List& list);
  void return_slot(std::uint32_t slot);
  std::uint64_t random_request(const Arena& arena);
  List new_list(bool is_freed);

  void decide();
  [[nodiscard]] bool wants_more();
  void allocate();
  void release();
  void empty_cache();
  void push(Event event);
  void push_at(Action action, std::uint32_t slot, std::uint64_t size, const List& list);
  void apply(const Event& event);

  [[nodiscard]] Segment segment_at(const Chunk& chunk) const;
  void append_blocks(Segment& segment, const Chunk& chunk) const;

  Random random_;
  const Program& program_;
  std::uint64_t number_;
  std::uint64_t next_address_;
  std::uint64_t next_cache_ = kCacheEvents;
  std::uint64_t next_snapshot_ = kSnapshotEvents;
  std::int64_t time_us_ = 1'784'205'149'342'475;
  std::uint64_t active_bytes_ = 0;
  std::vector<Arena> arenas_;
  std::vector<Chunk> chunks_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> live_; ///< slots, oldest first but for gaps that were filled
  std::deque<Event> queue_;
  std::deque<Pending> pending_;
};

} // namespace memviz::bench
