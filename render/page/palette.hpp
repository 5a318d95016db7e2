#pragma once

// Every colour of the pictures, for light and dark pages, and the CSS that applies them. Plain rules and one media
// query, because librsvg (2.54) does not support CSS variables; this is the only code that writes the query. Rules that
// depend on the medium but not on colours are in web/page.css. Hues come from Okabe and Ito's colour-blind-safe set;
// every text colour has a contrast of at least 4.5 on its fill (WCAG 2.1, AA), which the tests compute.

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace memviz::render {

/// A box: its fill and the text on it. `name` is the class of its <g>.
struct Paint {
  std::string_view name;
  std::string_view light_fill;
  std::string_view light_text;
  std::string_view dark_fill;
  std::string_view dark_text;
};

namespace paint {
// The origins of the memory's code. Boxes without a stack are also hatched, and free ones have an outline.
inline constexpr Paint kUser{"user", "#f4b056", "#1d2026", "#9c5c0b", "#fff6e8"};
inline constexpr Paint kTorch{"torch", "#86cfb8", "#1d2026", "#1b6a5a", "#e6fff8"};
inline constexpr Paint kLibrary{"library", "#dbe3a4", "#1d2026", "#474f17", "#f8fadf"};
inline constexpr Paint kCpp{"cpp", "#aec3f2", "#1d2026", "#38508c", "#eaf0ff"};
inline constexpr Paint kGroup{"group", "#d8dde6", "#1d2026", "#3d434e", "#f0f2f5"};
inline constexpr Paint kFree{"free", "#f2f4f8", "#4a505b", "#1f232a", "#b4bac4"};
inline constexpr Paint kNoStack{"nostack", "#e9c6e6", "#1d2026", "#6f3a6c", "#fdeefc"};
inline constexpr Paint kSmaller{"smaller", "#ece5d2", "#41454d", "#3a362b", "#d5d3cc"};
// The changes between two snapshots; the sign is also in the text.
inline constexpr Paint kAdded{"added", "#c2410c", "#ffffff", "#f08a4b", "#1d1208"};
inline constexpr Paint kGrown{"grown", "#f6b98a", "#1d2026", "#8f4a1c", "#fff1e6"};
inline constexpr Paint kGrownLittle{"grown-little", "#fbe3d1", "#1d2026", "#513526", "#fbe9dd"};
inline constexpr Paint kSame{"same", "#e2e5ea", "#3f454e", "#2c3038", "#c4c9d2"};
inline constexpr Paint kShrunkLittle{"shrunk-little", "#d6e7f7", "#1d2026", "#263e54", "#dfeefb"};
inline constexpr Paint kShrunk{"shrunk", "#9cc8ee", "#1d2026", "#1f5a8c", "#e8f4ff"};
inline constexpr Paint kRemoved{"removed", "#1d5f9e", "#ffffff", "#62b0ee", "#07131d"};
// Parts of the bar; rounding and unaccounted are also boxes.
inline constexpr Paint kRequested{"requested", "#3a6db5", "#ffffff", "#6b9be0", "#0b1220"};
inline constexpr Paint kRounding{"rounding", "#8b95a5", "#0d0f12", "#8d97a5", "#0b0d10"};
inline constexpr Paint kPending{"pending", "#6d4a9c", "#ffffff", "#cdbaf0", "#150d20"};
inline constexpr Paint kInactive{"inactive", "#d9e0eb", "#1d2026", "#343b47", "#e3e7ee"};
inline constexpr Paint kUnaccounted{"unaccounted", "#b3261e", "#ffffff", "#f2837b", "#240503"};
// Free memory, by what keeps a request from using it.
inline constexpr Paint kHardFree{"hard-free", "#e6935a", "#1d2026", "#b0561c", "#fff4ec"};
inline constexpr Paint kOtherStream{"other-stream", "#7cc4ea", "#1d2026", "#1c5f86", "#eaf6ff"};
inline constexpr Paint kPrivatePool{"private-pool", "#d9a3c4", "#1d2026", "#7d3f66", "#fff0f8"};
inline constexpr Paint kOtherSize{"other-size", "#e6dc7c", "#1d2026", "#5f571a", "#fdfae0"};
} // namespace paint

/// All of the above except the last few, which only the panel of `explain` has.
[[nodiscard]] std::span<const Paint> all_paints();
[[nodiscard]] std::span<const Paint> room_paints();

/// Text and lines outside boxes: a CSS selector, what it colours, and how.
struct PageColour {
  std::string_view selector;
  std::string_view property;
  std::string_view light;
  std::string_view dark;
};

inline constexpr std::string_view kLightPage = "#fcfcfa";
inline constexpr std::string_view kDarkPage = "#15171c";
[[nodiscard]] std::span<const PageColour> page_colours();

/// The pattern that fills boxes without a stack, in <defs> under this id: lines over kNoStack's fill.
inline constexpr std::string_view kUnknownPattern = "unknown";
/// The colour of these lines; text on them is readable as well.
inline constexpr std::string_view kLightHatch = "#dfb3db";
inline constexpr std::string_view kDarkHatch = "#5c2d59";

/// Returns the rules for light pages, then those for dark ones under `prefers-color-scheme: dark`, which never applies
/// to paper; `rules` writes either.
[[nodiscard]] std::string in_both_schemes(const std::function<std::string(bool dark)>& rules);
[[nodiscard]] std::string colour_rules(std::span<const PageColour> colours, bool dark);
[[nodiscard]] std::string paint_rules(std::span<const Paint> paints, bool dark);

/// Returns the rules for all of the above.
[[nodiscard]] std::string palette_css();
/// Returns the same for paints that only some pictures have, such as room_paints().
[[nodiscard]] std::string paints_css(std::span<const Paint> paints);

} // namespace memviz::render
