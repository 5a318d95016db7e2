#pragma once

// Answers that are numbers: doubles as they are in memory, one row for each column of the curve.

#include "engine/request.hpp"

#include "memviz/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace memviz::view {

/// Appends values as they are in memory.
template <class Value> void append_bytes(std::string& out, const std::vector<Value>& values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (values.empty()) return;
  const std::size_t before = out.size();
  out.resize(before + values.size() * sizeof(Value));
  std::memcpy(out.data() + before, values.data(), values.size() * sizeof(Value));
}

/// Returns the member "columns" of a request: at least 1, at most 16,384.
[[nodiscard]] inline std::size_t columns_of(const PageRequest& request) {
  constexpr std::size_t kMostColumns = 16'384;
  return std::max<std::size_t>(1, request.count("columns", 1000, kMostColumns));
}

/// Returns the member "axis": time only if the events have times.
[[nodiscard]] inline TimelineAxis axis_of(const PageRequest& request, const DeviceRecord& record) {
  const bool is_time = request.text("axis") == "time" && !record.times_us().empty();
  return is_time ? TimelineAxis::time : TimelineAxis::event;
}

} // namespace memviz::view
