#pragma once

// Recorded events -> pages of expandable segments that were unmapped and not mapped again. A state does not contain
// them, but PyTorch looks for room at the lowest address first, which may be among them.

#include "memviz/events.hpp"

#include <cstdint>
#include <map>

namespace memviz {

class UnmappedPages {
public:
  /// Processes the first `count` events.
  UnmappedPages(const EventTable& events, std::size_t count);
  /// Returns the bytes of such pages that end at `address`.
  [[nodiscard]] std::uint64_t bytes_before(std::uint64_t address) const;

private:
  /// An address range from its first page to the last that was ever mapped. It disappears with its last mapped page,
  /// after which another range may use the addresses.
  struct Range {
    std::uint64_t end = 0;
    std::uint64_t mapped_bytes = 0;
    std::int64_t stream = 0;
  };
  using Ranges = std::map<std::uint64_t, Range>; ///< by their begin

  void map(std::uint64_t begin, std::uint64_t end, std::int64_t stream);
  void unmap(std::uint64_t begin, std::uint64_t end);
  /// Returns the range in which or directly after which `address` lies; end() if there is none.
  [[nodiscard]] Ranges::iterator range_at(std::uint64_t address);
  void forget(Ranges::iterator range);
  void insert(std::uint64_t begin, std::uint64_t end);
  void remove(std::uint64_t begin, std::uint64_t end);

  Ranges ranges_;
  std::map<std::uint64_t, std::uint64_t> begin_by_end_; ///< disjoint
};

} // namespace memviz
