#pragma once

// Recorded events -> pages of expandable segments that were unmapped and are not mapped again. A state tells none of
// them, but PyTorch looks for room at the lowest address first, which may be there.

#include "memviz/events.hpp"

#include <cstdint>
#include <map>

namespace memviz {

class UnmappedPages {
public:
  /// Of the first `count` events.
  UnmappedPages(const EventTable& events, std::size_t count);
  /// How many bytes that end at `address` are such pages.
  [[nodiscard]] std::uint64_t bytes_before(std::uint64_t address) const;

private:
  void insert(std::uint64_t begin, std::uint64_t end);
  void remove(std::uint64_t begin, std::uint64_t end);

  std::map<std::uint64_t, std::uint64_t> begin_by_end_; ///< apart from each other
};

} // namespace memviz
