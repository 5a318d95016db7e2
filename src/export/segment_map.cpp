#include "export/segment_map.hpp"

#include "base/printable.hpp"
#include "export/segment_bar.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostSegments = 20;
constexpr std::size_t kSegmentColumns = 100;
constexpr std::size_t kFewestBarColumns = 12;
constexpr std::size_t kMostBarColumns = 48;

using Segments = std::vector<const Segment*>;

Segments pointers_to(const MemoryState& state, DeviceId device) {
  Segments segments;
  for (const Segment& segment : state.segments_of(device))
    segments.push_back(&segment);
  return segments;
}

/// Returns the largest ones, largest first.
Segments largest(Segments segments) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(segments.size(), kMostSegments));
  const auto is_larger = [](const Segment* one, const Segment* other) {
    if (one->total_bytes != other->total_bytes) return one->total_bytes > other->total_bytes;
    return one->address < other->address;
  };
  std::partial_sort(segments.begin(), segments.begin() + shown, segments.end(), is_larger);
  segments.resize(static_cast<std::size_t>(shown));
  return segments;
}

std::string kind_of(const Segment& segment) {
  if (segment.is_expandable) return "expandable";
  if (!segment.is_large) return "-";
  return *segment.is_large ? "large" : "small";
}

std::string pool_text(const PoolId& pool) {
  constexpr std::size_t kPoolColumns = 16;
  return pool.is_private() ? elided(fmt::format("({}, {})", pool.first, pool.second), kPoolColumns) : "default";
}

std::vector<std::string> facts_of(const Segment& segment) {
  return {format_address(segment.address), format_bytes(segment.total_bytes), pool_text(segment.pool),
          std::to_string(segment.stream), kind_of(segment)};
}

/// Returns the table with bars of `bar_columns` characters, or without a column for them where that is 0.
TextTable table_of(const MemoryState& state, const Segments& segments, std::size_t bar_columns) {
  TextTable table{Align::left, Align::right, Align::left, Align::right, Align::left, Align::left};
  table.add_row({"address", "size", "pool", "stream", "kind", bar_columns == 0 ? "" : "use"});
  for (const Segment* segment : segments) {
    auto cells = facts_of(*segment);
    if (bar_columns > 0) cells.push_back('[' + segment_bar(state, *segment, bar_columns) + ']');
    table.add_row(std::move(cells));
  }
  return table;
}

} // namespace

std::string segment_map(const MemoryState& state, DeviceId device) {
  const Segments all = pointers_to(state, device);
  const Segments shown = largest(all);
  std::string text = fmt::format("Segments of {} ({}", device_name(device, state.recording->origin.kind_of(device)),
                                 format_count(all.size()));
  if (shown.size() < all.size()) {
    text += fmt::format("; the {} largest are shown, the other {} are omitted", shown.size(),
                        format_count(all.size() - shown.size()));
  }
  text += ")\n";

  // The bars take the room of a line that the facts leave.
  constexpr std::size_t kIndentAndBrackets = 4;
  const std::size_t taken = table_of(state, shown, 0).width() + kIndentAndBrackets;
  const std::size_t left = kSegmentColumns - std::min(kSegmentColumns, taken);
  const std::size_t bar_columns = std::clamp(left, kFewestBarColumns, kMostBarColumns);
  return text + table_of(state, shown, bar_columns).text("  ") + fmt::format("  {}\n", segment_bar_legend());
}

} // namespace memviz
