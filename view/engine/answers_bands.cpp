#include "engine/answers.hpp"

#include "engine/bands.hpp"
#include "engine/lit.hpp"
#include "engine/numbers.hpp"

#include <algorithm>
#include <cmath>

namespace memviz::view {

namespace {

/// Returns the bytes of a row for which the highest live or reserved memory of the columns takes `percent` less than
/// all rows: 112 leaves room for words above it.
double fitting_row_bytes(const Walk& walk, const BandGrid& grid, std::uint64_t percent) {
  std::uint64_t most = 1;
  for (const std::uint32_t state : column_states(walk, grid.window, grid.axis, grid.columns))
    most = std::max({most, walk.live_bytes(state), walk.reserved_bytes(state)});
  const double whole = static_cast<double>(most) * static_cast<double>(percent) / 100;
  return std::max(1.0, std::ceil(whole / static_cast<double>(grid.rows)));
}

} // namespace

std::string bands_of(Engine& engine, const PageRequest& request) {
  constexpr std::size_t kMostPixels = 8'000'000;
  Walk& walk = engine.file(request).walk(request.device());
  const std::size_t columns = columns_of(request);
  BandGrid grid{request.window(walk.record().events), axis_of(request, walk.record()), columns};
  grid.rows = request.count("rows", 100, kMostPixels / columns);
  const std::uint64_t headroom = request.number("headroom", 0, 1000);
  grid.bytes_per_row =
      headroom > 0 && grid.rows > 0
          ? fitting_row_bytes(walk, grid, headroom)
          : static_cast<double>(std::max<std::uint64_t>(1, request.number("bytes_per_row", 1, kMaxTotalBytes)));
  grid.base_bytes = static_cast<double>(request.number("base_bytes", 0, kMaxTotalBytes));
  const Bands drawn = bands(walk, request.text("by"), grid);
  std::string out;
  append_bytes(out, drawn.bytes);
  append_bytes(out, drawn.lives);
  append_bytes(out, drawn.values);
  return out;
}

std::string lit_of(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  const Walk& walk = file.walk(request.device());
  const std::vector<bool> lit = lit_lives(file, walk, request);
  std::vector<std::uint8_t> bits((lit.size() + 7) / 8);
  for (std::size_t index = 0; index < lit.size(); ++index)
    if (lit[index]) bits[index / 8] = static_cast<std::uint8_t>(bits[index / 8] | 1U << (index % 8));
  std::string out;
  append_bytes(out, bits);
  return out;
}

} // namespace memviz::view
