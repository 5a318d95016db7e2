#pragma once

// Recorded events -> pages of expandable segments that were unmapped and are not mapped again. A state has none of
// them, but PyTorch looks for room at the lowest address first, which may be there.

#include "memviz/events.hpp"

#include <cstdint>
#include <map>

namespace memviz {

class UnmappedPages {
public:
  /// Looks at the first `count` events.
  UnmappedPages(const EventTable& events, std::size_t count);
  /// Returns the bytes of such pages that end at `address`.
  [[nodiscard]] std::uint64_t bytes_before(std::uint64_t address) const;

private:
  /// An address range from its first page to the last that was ever mapped. It goes with its last mapped page, and
  /// another may take its place.
  struct Range {
    std::uint64_t end = 0;
    std::uint64_t mapped_bytes = 0;
    std::int64_t stream = 0;
  };
  using Ranges = std::map<std::uint64_t, Range>; ///< by their begin

  void map(std::uint64_t begin, std::uint64_t end, std::int64_t stream);
  void unmap(std::uint64_t begin, std::uint64_t end);
  /// The one that `address` lies in or right after; end() where none does.
  [[nodiscard]] Ranges::iterator range_at(std::uint64_t address);
  void forget(Ranges::iterator range);
  void insert(std::uint64_t begin, std::uint64_t end);
  void remove(std::uint64_t begin, std::uint64_t end);

  Ranges ranges_;
  std::map<std::uint64_t, std::uint64_t> begin_by_end_; ///< apart from each other
};

} // namespace memviz
