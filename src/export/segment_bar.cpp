#include "export/segment_bar.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace memviz {

namespace {

/// The bytes that one character of a bar represents.
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

/// Returns the first byte of cell number `index`, exact for any size.
std::uint64_t cell_begin(std::uint64_t total_bytes, std::size_t index, std::size_t cells) {
  return total_bytes / cells * index + total_bytes % cells * index / cells;
}

void add_block(std::vector<Cell>& cells, const Segment& segment, const Block& block) {
  if (block.address < segment.address || block.address - segment.address >= segment.total_bytes) return;
  const std::uint64_t begin = block.address - segment.address;
  const std::uint64_t end = begin + std::min(block.size_bytes, segment.total_bytes - begin);
  // An estimate that rounding can put one cell too far.
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

} // namespace

std::string segment_bar(const MemoryMap& memory, const Segment& segment, std::size_t columns) {
  std::vector<Cell> cells(columns);
  for (std::size_t i = 0; i < columns; ++i)
    cells[i].bytes = cell_begin(segment.total_bytes, i + 1, columns) - cell_begin(segment.total_bytes, i, columns);
  for (const Block& block : memory.blocks_of(segment))
    add_block(cells, segment, block);
  std::string bar;
  for (const Cell& cell : cells)
    bar += letter_of(cell);
  return bar;
}

std::string_view segment_bar_legend() {
  return "# used   + more than half used   - less   . free   p awaiting free   ? not accounted for";
}

} // namespace memviz
