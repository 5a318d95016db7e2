#pragma once

// What a recording on the CPU keeps: a ring of records, one for each allocation and free, with the stacks they refer
// to, bounded in entries and bytes; and the stacks of the allocations that still live. A record becomes several events
// of the format only at dump.

#include "cpu_allocator_watch.hpp"
#include "native_stack.hpp"
#include "recorder.hpp"

#include <c10/util/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace memviz::capture {

/// Where something happened: indices into CpuHistory's two tables, kNoStack for none.
struct StackPair {
  StackIndex native = kNoStack;
  StackIndex operators = kNoStack;
  auto operator<=>(const StackPair&) const = default;
};

struct CpuRecord {
  enum class Kind : std::uint8_t { allocation, free, out_of_memory };
  std::uint64_t address = 0; ///< for out_of_memory: the free bytes of the machine
  std::uint64_t bytes = 0;
  std::int64_t time_us = 0;
  StackPair stack;
  Kind kind = Kind::allocation;
};

/// How many events a record of each kind becomes; 0: it is not kept.
struct EventCounts {
  std::size_t allocation = 2; ///< segment_alloc, alloc
  std::size_t free = 3;       ///< free_requested, free_completed, segment_free
  std::size_t out_of_memory = 1;
  [[nodiscard]] std::size_t of(CpuRecord::Kind kind) const;
};

/// Not safe for several threads at once.
class CpuHistory {
public:
  CpuHistory(const EventCounts& counts, std::size_t max_entries, std::size_t max_bytes);

  /// Good until the next add_record(), which may renumber the stacks.
  [[nodiscard]] StackPair add_stack(const CallSite& site);
  void add_live(std::uint64_t address, const StackPair& stack);
  void add_record(const CpuRecord& record);
  /// The stack of the allocation at `address`, which lives no more.
  StackPair take_live(std::uint64_t address);

  [[nodiscard]] const std::deque<CpuRecord>& records() const { return records_; }
  [[nodiscard]] StackPair live_stack(std::uint64_t address) const;
  [[nodiscard]] const StackTable& native_stacks() const { return native_; }
  /// Elements are `const std::string*`: operators' names, innermost first, good as long as this history.
  [[nodiscard]] const StackTable& operator_stacks() const { return operators_; }
  [[nodiscard]] bool is_overflowed() const { return is_overflowed_; }
  [[nodiscard]] std::size_t bytes() const;

  /// A copy for a dump, whose operators' names still belong to this history.
  [[nodiscard]] CpuHistory copy_for_dump() const;

private:
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };

  void* intern(std::string_view name);
  void keep_in_bounds();
  void drop_oldest();
  void drop_unused_stacks();

  EventCounts counts_;
  std::size_t max_entries_;
  std::size_t max_bytes_;
  std::size_t events_ = 0;
  bool is_overflowed_ = false;
  std::deque<CpuRecord> records_;
  StackTable native_;
  StackTable operators_;
  ska::flat_hash_map<std::uint64_t, StackPair> live_;
  std::unordered_set<std::string, NameHash, std::equal_to<>> names_;
  std::size_t name_bytes_ = 0;
};

} // namespace memviz::capture
