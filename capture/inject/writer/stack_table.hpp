#pragma once

// Native call stacks as raw return addresses, each distinct one stored once.

#include "snapshot_data.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace memviz::capture {

/// Distinct stacks, each stored once. Not safe for several threads at once.
class StackTable {
public:
  StackIndex add(std::span<void* const> addresses);
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t size() const { return begins_.size(); }
  [[nodiscard]] std::span<void* const> operator[](StackIndex index) const;

private:
  std::vector<void*> addresses_;
  std::vector<std::size_t> begins_;
  std::unordered_multimap<std::uint64_t, StackIndex> index_;
};

} // namespace memviz::capture
