#include "engine/bands.hpp"

#include <bit>

namespace memviz::view {

namespace {

/// The live allocations in the order of their ranks, with sums over groups of 64 and of 4096 ranks, so that a pixel is
/// found without adding up all bands below it.
class Stack {
public:
  Stack(const Scrub& scrub, const BandOrder& order)
      : scrub_(scrub), order_(order), live_(order.index_at.size() / kBits + 1), bytes_(live_.size()),
        group_bytes_(live_.size() / kBits + 1) {}

  void change(std::uint32_t index, bool begins) {
    const std::uint32_t rank = order_.rank_of[index];
    const std::uint64_t bytes = scrub_.life(index).size_bytes;
    const std::size_t word = rank / kBits;
    live_[word] ^= std::uint64_t{1} << (rank % kBits);
    for (std::uint64_t* const sum : {&bytes_[word], &group_bytes_[word / kBits], &all_bytes_})
      *sum = begins ? *sum + bytes : *sum - bytes;
  }

  [[nodiscard]] std::uint64_t bytes() const { return all_bytes_; }

  /// Calls `take(row, index)` for each row of the grid whose middle lies within a band.
  template <class Take> void for_each_row(const BandGrid& grid, const Take& take) const {
    const std::size_t rows = grid.rows;
    std::uint64_t below = 0;
    std::size_t row = 0;
    const auto is_below = [&](std::uint64_t bytes) {
      const double middle = grid.base_bytes + (static_cast<double>(row) + 0.5) * grid.bytes_per_row;
      return static_cast<double>(below + bytes) <= middle;
    };
    for (std::size_t word = 0; word < live_.size() && row < rows;) {
      if (word % kBits == 0 && is_below(group_bytes_[word / kBits])) {
        below += group_bytes_[word / kBits];
        word += kBits;
        continue;
      }
      if (is_below(bytes_[word])) {
        below += bytes_[word++];
        continue;
      }
      for (std::uint64_t bits = live_[word]; bits != 0; bits &= bits - 1) {
        const std::uint32_t index = order_.index_at[word * kBits + static_cast<std::size_t>(std::countr_zero(bits))];
        const std::uint64_t bytes = scrub_.life(index).size_bytes;
        for (; row < rows && !is_below(bytes); ++row)
          take(row, index);
        below += bytes;
      }
      ++word;
    }
  }

private:
  static constexpr std::size_t kBits = 64;
  const Scrub& scrub_;
  const BandOrder& order_;
  std::vector<std::uint64_t> live_; ///< a bit for each rank
  std::vector<std::uint64_t> bytes_;
  std::vector<std::uint64_t> group_bytes_;
  std::uint64_t all_bytes_ = 0;
};

} // namespace

Bands bands(Walk& walk, std::string_view by, const BandGrid& grid) {
  const Classes& classes = walk.classes(by);
  const BandOrder& order = walk.band_order(by);
  Scrub& scrub = walk.scrub();
  const std::uint32_t back = scrub.state();
  Stack stack(scrub, order);
  scrub.go(grid.window.first);
  scrub.for_each_live([&](std::uint32_t index) { stack.change(index, true); });
  scrub.go(back);

  const std::size_t pixels = grid.columns * grid.rows;
  Bands out{{}, std::vector<std::uint32_t>(pixels, Bands::kNone), std::vector<std::uint8_t>(pixels)};
  std::uint32_t before = grid.window.first;
  std::size_t first_pixel = 0;
  for (const std::uint32_t state : column_states(walk, grid.window, grid.axis, grid.columns)) {
    scrub.for_each_difference(before, state, [&](std::uint32_t index, bool begins) { stack.change(index, begins); });
    before = state;
    out.bytes.push_back(static_cast<double>(stack.bytes()));
    stack.for_each_row(grid, [&](std::size_t row, std::uint32_t index) {
      const bool is_high = static_cast<double>(scrub.life(index).size_bytes) >= grid.bytes_per_row;
      out.lives[first_pixel + row] = index;
      out.values[first_pixel + row] =
          static_cast<std::uint8_t>(1 + 2 * classes.of_life[index] + (is_high && order.is_odd[index] ? 1 : 0));
    });
    first_pixel += grid.rows;
  }
  return out;
}

} // namespace memviz::view
