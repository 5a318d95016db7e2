#pragma once

// The annotations of a recording on the CPU, oldest first, in a ring bounded in entries and bytes. (On CUDA the caching
// allocator keeps them.)

#include "snapshot_data.hpp"

#include <cstddef>
#include <deque>
#include <string_view>
#include <vector>

namespace memviz::capture {

/// Not safe for several threads at once.
class AnnotationRing {
public:
  AnnotationRing(std::size_t max_entries, std::size_t max_bytes) : max_entries_(max_entries), max_bytes_(max_bytes) {}

  void add(std::string_view name, const char* stage, std::int64_t time_us);
  [[nodiscard]] std::vector<AnnotationData> oldest_first() const { return {ring_.begin(), ring_.end()}; }

private:
  std::size_t max_entries_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::deque<AnnotationData> ring_;
};

} // namespace memviz::capture
