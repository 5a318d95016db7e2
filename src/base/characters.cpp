#include "base/characters.hpp"

#include "base/unicode_tables.hpp"

#include <algorithm>
#include <span>

namespace memviz {
namespace {

bool is_within(std::span<const char32_t> borders, char32_t point) {
  const auto behind = std::upper_bound(borders.begin(), borders.end(), point);
  return (behind - borders.begin()) % 2 == 1;
}

} // namespace

bool is_unsafe(char32_t point) {
  if (point < 0x7F) return point < 0x20;
  return is_within(unsafe_borders(), point);
}

std::size_t terminal_columns(char32_t point) {
  constexpr char32_t kFirstMark = 0x300;
  if (point < kFirstMark) return 1;
  if (is_within(wide_borders(), point)) return 2;
  return is_within(zero_width_borders(), point) ? 0 : 1;
}

} // namespace memviz
