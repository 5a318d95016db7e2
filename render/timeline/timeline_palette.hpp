#pragma once

// Colours of timelines: a hue a line of code, the same in every picture, and what stands around the bands.

#include "page/palette.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace memviz::render {

namespace paint {
inline constexpr Paint kBaseline{"baseline", "#cfd5de", "#1d2026", "#39404b", "#eef1f5"};
inline constexpr Paint kRest{"rest", "#e9e6de", "#41454d", "#2c2b28", "#d5d3cc"};
} // namespace paint

/// For lines of code.
[[nodiscard]] std::span<const Paint> hues();

/// Line of code -> hue: by a hash of its text, so that it stays the same from picture to picture. Of those that are
/// named before the others, each gets a hue of its own as long as there are some.
class LineHues {
public:
  /// Names a line that stands out; the largest first.
  void name(std::string_view line);
  [[nodiscard]] const Paint& of(std::string_view line) const;

private:
  std::map<std::string, std::size_t, std::less<>> named_;
};

/// The rules for the above and for the lines of a chart, after those of palette_css().
[[nodiscard]] std::string timeline_css();

} // namespace memviz::render
