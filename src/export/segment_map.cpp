#include "export/segment_map.hpp"

#include "export/text_table.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostSegments = 20;
constexpr std::size_t kBarColumns = 32;

/// What one character of a bar stands for.
struct Cell {
  std::uint64_t bytes = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t pending_bytes = 0;
  std::uint64_t free_bytes = 0;
};

char letter_of(const Cell& cell) {
  const std::uint64_t used_bytes = cell.allocated_bytes + cell.pending_bytes;
  if (used_bytes + cell.free_bytes == 0) return cell.bytes == 0 ? ' ' : '?';
  if (used_bytes == 0) return '.';
  if (cell.pending_bytes > used_bytes / 2) return 'p';
  if (used_bytes >= cell.bytes) return '#';
  return used_bytes > cell.bytes / 2 ? '+' : '-';
}

/// The first byte of cell number `index`, exact for any size.
std::uint64_t cell_begin(std::uint64_t total_bytes, std::size_t index, std::size_t cells) {
  return total_bytes / cells * index + total_bytes % cells * index / cells;
}

void add_block(std::vector<Cell>& cells, const Segment& segment, const Block& block) {
  if (block.address < segment.address || block.address - segment.address >= segment.total_bytes) return;
  const std::uint64_t begin = block.address - segment.address;
  const std::uint64_t end = begin + std::min(block.size_bytes, segment.total_bytes - begin);
  // A guess that rounding can put one cell too far.
  const double guess = static_cast<double>(begin) / static_cast<double>(segment.total_bytes);
  auto index = std::min(static_cast<std::size_t>(guess * static_cast<double>(cells.size())), cells.size() - 1);
  while (index > 0 && cell_begin(segment.total_bytes, index, cells.size()) > begin)
    --index;
  for (; index < cells.size(); ++index) {
    const std::uint64_t cell_first = cell_begin(segment.total_bytes, index, cells.size());
    const std::uint64_t cell_last = cell_begin(segment.total_bytes, index + 1, cells.size());
    if (cell_first >= end) break;
    if (cell_last <= begin) continue;
    const std::uint64_t shared_bytes = std::min(end, cell_last) - std::max(begin, cell_first);
    Cell& cell = cells[index];
    switch (block.state) {
    case BlockState::active_allocated: cell.allocated_bytes += shared_bytes; break;
    case BlockState::active_pending_free: cell.pending_bytes += shared_bytes; break;
    case BlockState::inactive: cell.free_bytes += shared_bytes; break;
    }
  }
}

std::string kind_of(const Segment& segment) {
  if (segment.is_expandable) return "expandable";
  if (!segment.is_large) return "-";
  return *segment.is_large ? "large" : "small";
}

std::string pool_text(const PoolId& pool) {
  return pool.is_private() ? fmt::format("({}, {})", pool.first, pool.second) : "default";
}

std::vector<const Segment*> segments_of(const Snapshot& snapshot, std::uint32_t device) {
  std::vector<const Segment*> segments;
  for (const Segment& segment : snapshot.segments)
    if (segment.device == device) segments.push_back(&segment);
  return segments;
}

} // namespace

std::string segment_bar(const Snapshot& snapshot, const Segment& segment, std::size_t columns) {
  std::vector<Cell> cells(columns);
  for (std::size_t i = 0; i < columns; ++i)
    cells[i].bytes = cell_begin(segment.total_bytes, i + 1, columns) - cell_begin(segment.total_bytes, i, columns);
  for (const Block& block : snapshot.blocks_of(segment))
    add_block(cells, segment, block);
  std::string bar;
  for (const Cell& cell : cells)
    bar += letter_of(cell);
  return bar;
}

std::string_view segment_bar_legend() {
  return "# used   + more than half used   - less   . free   p pending free   ? not accounted for";
}

std::string segment_map(const Snapshot& snapshot, std::uint32_t device) {
  auto segments = segments_of(snapshot, device);
  const std::size_t shown = std::min(segments.size(), kMostSegments);
  const auto is_larger = [](const Segment* before, const Segment* after) {
    if (before->total_bytes != after->total_bytes) return before->total_bytes > after->total_bytes;
    return before->address < after->address;
  };
  std::partial_sort(segments.begin(), segments.begin() + static_cast<std::ptrdiff_t>(shown), segments.end(), is_larger);

  TextTable table{Align::left, Align::right, Align::left, Align::right, Align::left, Align::left};
  table.add_row({"address", "size", "pool", "stream", "kind", "use"});
  for (std::size_t i = 0; i < shown; ++i) {
    const Segment& segment = *segments[i];
    table.add_row({format_address(segment.address), format_bytes(segment.total_bytes), pool_text(segment.pool),
                   std::to_string(segment.stream), kind_of(segment),
                   fmt::format("[{}]", segment_bar(snapshot, segment, kBarColumns))});
  }
  std::string text = fmt::format("Segments of GPU {} ({}", device, format_count(segments.size()));
  if (shown < segments.size())
    text += fmt::format("; the {} largest, the other {} are left out", shown, format_count(segments.size() - shown));
  text += ")\n";
  return text + table.text("  ") + fmt::format("  {}\n", segment_bar_legend());
}

} // namespace memviz
