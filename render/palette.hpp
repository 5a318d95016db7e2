#pragma once

// Every colour of the pictures, for light and dark pages, and the CSS that applies them. Plain rules and one media
// query, because librsvg (2.54) knows no CSS variables.
// Hues come from Okabe and Ito's colour-blind-safe set; every text colour has a contrast of 4.5 or more on its fill
// (WCAG 2.1, AA), which the tests compute.

#include <span>
#include <string>
#include <string_view>

namespace memviz::render {

/// A box: its fill and the text upon it. `name` is the class of its <g>.
struct Paint {
  std::string_view name;
  std::string_view light_fill;
  std::string_view light_text;
  std::string_view dark_fill;
  std::string_view dark_text;
};

namespace paint {
// Where the memory's code comes from.
inline constexpr Paint kUser{"user", "#f2b05e", "#1d2026", "#8a5410", "#fff3e0"};
inline constexpr Paint kTorch{"torch", "#8fd0bd", "#1d2026", "#1d6456", "#e6fff8"};
inline constexpr Paint kLibrary{"library", "#d3dba2", "#1d2026", "#565f22", "#f8fadf"};
inline constexpr Paint kCpp{"cpp", "#b4c7ee", "#1d2026", "#38508c", "#eaf0ff"};
inline constexpr Paint kGroup{"group", "#d8dce3", "#1d2026", "#3d434e", "#f0f2f5"};
inline constexpr Paint kFree{"free", "#e6eaf1", "#464c57", "#282d37", "#b4bac4"};
inline constexpr Paint kNoStack{"nostack", "#e8cfe6", "#1d2026", "#6a3f68", "#fdeefc"};
inline constexpr Paint kSmaller{"smaller", "#e3e1da", "#41454d", "#34332f", "#d5d3cc"};
// What changed between two snapshots; the sign also stands in the text.
inline constexpr Paint kAdded{"added", "#c2410c", "#ffffff", "#f08a4b", "#1d1208"};
inline constexpr Paint kGrown{"grown", "#f6b98a", "#1d2026", "#8f4a1c", "#fff1e6"};
inline constexpr Paint kGrownLittle{"grown-little", "#fbe3d1", "#1d2026", "#513526", "#fbe9dd"};
inline constexpr Paint kSame{"same", "#e2e5ea", "#3f454e", "#2c3038", "#c4c9d2"};
inline constexpr Paint kShrunkLittle{"shrunk-little", "#d6e7f7", "#1d2026", "#263e54", "#dfeefb"};
inline constexpr Paint kShrunk{"shrunk", "#9cc8ee", "#1d2026", "#1f5a8c", "#e8f4ff"};
inline constexpr Paint kRemoved{"removed", "#1d5f9e", "#ffffff", "#62b0ee", "#07131d"};
// Parts of the bar; rounding and unaccounted are boxes too.
inline constexpr Paint kRequested{"requested", "#3a6db5", "#ffffff", "#6b9be0", "#0b1220"};
inline constexpr Paint kRounding{"rounding", "#5c6773", "#ffffff", "#9aa5b1", "#14171b"};
inline constexpr Paint kPending{"pending", "#6d4a9c", "#ffffff", "#b094dd", "#150d20"};
inline constexpr Paint kInactive{"inactive", "#d9e0eb", "#1d2026", "#343b47", "#e3e7ee"};
inline constexpr Paint kUnaccounted{"unaccounted", "#b3261e", "#ffffff", "#f2837b", "#240503"};
} // namespace paint

/// All of the above.
[[nodiscard]] std::span<const Paint> all_paints();

/// Text and lines outside of boxes: a CSS selector, what it colours, and how.
struct PageColour {
  std::string_view selector;
  std::string_view property;
  std::string_view light;
  std::string_view dark;
};

inline constexpr std::string_view kLightPage = "#fcfcfa";
inline constexpr std::string_view kDarkPage = "#15171c";
[[nodiscard]] std::span<const PageColour> page_colours();

/// The rules for all of it: light ones, then the dark ones under `prefers-color-scheme: dark`.
[[nodiscard]] std::string palette_css();

} // namespace memviz::render
