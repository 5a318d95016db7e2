#include "segments/board.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace memviz::render {
namespace {

using PlaceKey = std::tuple<DeviceId, PoolId, std::int64_t>;
/// The size of a segment, then sizes, states, classes and keepers of its blocks: what determines how it looks, and what
/// its tooltips say.
using Look = std::vector<std::uint64_t>;

PlaceKey key_of(const Segment& segment) {
  return {segment.device, segment.pool, segment.stream};
}

Look look_of(const MemoryState& state, const Colouring& colouring, const Segment& segment) {
  Look look{segment.total_bytes, segment.is_expandable ? 1U : 0U};
  for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
    const Block& block = state.blocks[i];
    const std::uint64_t line = block.is_active() ? colouring.of_block[i] : 0;
    look.push_back(block.size_bytes);
    look.push_back(line << 2U | static_cast<std::uint64_t>(block.state));
    if (colouring.keepers) look.push_back(colouring.keepers->path_of_block[i].path.value);
  }
  return look;
}

/// In the order of the snapshot: by address.
std::vector<Cell> cells_of(const MemoryState& state, const Colouring& colouring, const BoardOptions& options) {
  std::map<std::uint32_t, const PinnedSegment*> pinned;
  for (const PinnedSegment& segment : options.pins.segments)
    pinned.emplace(segment.segment, &segment);
  std::map<std::pair<PlaceKey, Look>, std::size_t> looks;
  std::vector<Cell> cells;
  for (const Segment& segment : state.segments_of(options.device)) {
    const auto [look, is_new] = looks.try_emplace({key_of(segment), look_of(state, colouring, segment)}, cells.size());
    const auto index = static_cast<std::uint32_t>(&segment - state.segments.data());
    if (is_new)
      cells.push_back({.segment = index});
    else
      ++cells[look->second].count;
    if (const auto pin = pinned.find(index); pin != pinned.end()) {
      cells[look->second].pinned = pin->second;
      cells[look->second].held_bytes += pin->second->held_bytes;
    }
  }
  return cells;
}

/// Omits the smallest, and counts them.
void keep_largest(const MemoryState& state, std::vector<Cell>& cells, std::size_t most, Board& board) {
  if (cells.size() <= most) return;
  std::ranges::stable_sort(
      cells, [&](const Cell& left, const Cell& right) { return bytes_of(state, left) > bytes_of(state, right); });
  for (const Cell& cell : std::span(cells).subspan(most)) {
    board.left_out_segments += cell.count;
    board.left_out_bytes += bytes_of(state, cell);
  }
  cells.resize(most);
}

std::uint64_t used_bytes(std::span<const Piece> pieces) {
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces)
    bytes += piece.used_bytes;
  return bytes;
}

std::uint64_t largest_hole(std::span<const Piece> pieces) {
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces)
    if (piece.kind == PieceKind::hole) bytes = std::max(bytes, piece.size_bytes);
  return bytes;
}

/// The maximum number of bands: more would need too many captions, so neighbours of similar size are combined.
constexpr std::size_t kMostBands = 20;

std::uint64_t first_bytes(const MemoryState& state, const BoardBand& band) {
  return state.segments[band.cells.front().segment].total_bytes;
}

void join_similar(const MemoryState& state, std::vector<BoardBand>& bands) {
  if (bands.size() <= kMostBands) return;
  std::vector<BoardBand> joined;
  for (BoardBand& band : bands) {
    const bool is_similar = !joined.empty() && !joined.back().is_expandable &&
                            first_bytes(state, joined.back()) / 2 <= first_bytes(state, band);
    if (is_similar)
      std::move(band.cells.begin(), band.cells.end(), std::back_inserter(joined.back().cells));
    else
      joined.push_back(std::move(band));
  }
  bands = std::move(joined);
}

/// Adds a cell to its band. Expandable segments come first, then others by size.
void add_to_bands(const MemoryState& state, std::vector<BoardBand>& bands, Cell cell) {
  const Segment& segment = state.segments[cell.segment];
  const bool is_like_last = !bands.empty() && bands.back().is_expandable == segment.is_expandable &&
                            (segment.is_expandable || first_bytes(state, bands.back()) == segment.total_bytes);
  if (!is_like_last) bands.push_back({segment.is_expandable, {}});
  bands.back().cells.push_back(std::move(cell));
}

} // namespace

std::uint64_t bytes_of(const MemoryState& state, const Cell& cell) {
  return cell.count * state.segments[cell.segment].total_bytes;
}

Board board_of(const MemoryState& state, const Colouring& colouring, const BoardOptions& options) {
  Board board;
  std::map<PlaceKey, std::size_t> places;
  for (Place& place : places_of(state, options.device)) {
    places.emplace(PlaceKey{place.device, place.pool, place.stream}, board.places.size());
    board.places.push_back({.place = place, .bands = {}});
  }
  std::vector<Cell> cells = cells_of(state, colouring, options);
  keep_largest(state, cells, options.most_cells, board);
  const auto order = [&](const Cell& cell) {
    const Segment& segment = state.segments[cell.segment];
    const std::uint64_t bytes = segment.is_expandable ? 0 : segment.total_bytes;
    return std::tuple(!segment.is_expandable, ~bytes, cell.segment);
  };
  std::ranges::sort(cells, [&](const Cell& left, const Cell& right) { return order(left) < order(right); });
  for (Cell& cell : cells) {
    const Segment& segment = state.segments[cell.segment];
    BoardPlace& place = board.places[places.at(key_of(segment))];
    std::vector<Piece> pieces = pieces_of(state, segment);
    cell.used_bytes = used_bytes(pieces);
    place.largest_hole_bytes = std::max(place.largest_hole_bytes, largest_hole(pieces));
    cell.pieces = merged_small(state, pieces, options.least_bytes);
    add_to_bands(state, place.bands, std::move(cell));
  }
  for (BoardPlace& place : board.places)
    join_similar(state, place.bands);
  std::erase_if(board.places, [](const BoardPlace& place) { return place.bands.empty(); });
  if (const DeviceState* const leading = leading_device(state.devices_of(options.device))) {
    for (BoardPlace& place : board.places)
      place.is_closed = place.place.device != leading->device;
  }
  // The device that counts comes first, and what is largest on each.
  const auto rank = [](const BoardPlace& place) {
    return std::tuple(place.is_closed, place.place.device, ~place.place.totals.reserved_bytes);
  };
  std::ranges::stable_sort(board.places, {}, rank);
  return board;
}

} // namespace memviz::render
