#include "timeline/timeline_palette.hpp"

#include "script/embedded.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>

namespace memviz::render {
namespace {

// After Okabe and Ito, with neighbours that differ in lightness, too. Not their pink: that says no stack.
constexpr std::array kHues{
    Paint{"hue0", "#f2b05e", "#1d2026", "#8a5410", "#fff3e0"},
    Paint{"hue1", "#8fd0bd", "#1d2026", "#1d6456", "#e6fff8"},
    Paint{"hue2", "#aebfee", "#1d2026", "#3a4f8f", "#eaf0ff"},
    Paint{"hue3", "#efa49b", "#1d2026", "#8c3b36", "#fff0ee"},
    Paint{"hue4", "#d6de8e", "#1d2026", "#565f22", "#f8fadf"},
    Paint{"hue5", "#c9aee8", "#1d2026", "#5f4189", "#f6eeff"},
    Paint{"hue6", "#f6dc7d", "#1d2026", "#6e5a10", "#fff9e0"},
    Paint{"hue7", "#7fbdea", "#1d2026", "#1f5a8c", "#e8f4ff"},
    Paint{"hue8", "#cdb594", "#1d2026", "#6b5434", "#fdf4e6"},
    Paint{"hue9", "#a5dcea", "#1d2026", "#1b6070", "#e6fbff"},
    Paint{"hue10", "#a6cf86", "#1d2026", "#44642a", "#f0fae6"},
};

constexpr std::array kColours{
    PageColour{".panel-ground", "fill", "#f4f5f3", "#1b1e24"},
    PageColour{".grid", "stroke", "#dfe2e6", "#30353e"},
    PageColour{".bands path", "stroke", kLightPage, kDarkPage},
    PageColour{".live-line", "stroke", "#3d4350", "#c9ced8"},
    PageColour{".lowest-line", "stroke", "#ffffff", "#0b0c0f"},
    PageColour{".reserved-line", "stroke", "#3a6db5", "#7fb0ee"},
    PageColour{".reserved-text", "fill", "#2f5f9f", "#8fbcf3"},
    PageColour{".capacity-line", "stroke", "#9a3412", "#f2a27b"},
    PageColour{".capacity-text", "fill", "#9a3412", "#f2a27b"},
    PageColour{".mark-line", "stroke", "#b3261e", "#f2837b"},
    PageColour{".mark-text", "fill", "#a3221b", "#f7958e"},
    PageColour{".peak-line", "stroke", "#1d2026", "#e8eaee"},
    PageColour{".peak-dot", "fill", "#1d2026", "#e8eaee"},
    PageColour{".snapshot-mark", "fill", "#5a606b", "#a6acb8"},
    PageColour{".cut", "stroke", "#5a606b", "#a6acb8"},
    PageColour{"#detail-text", "color", "#1d2026", "#e8eaee"},
};

/// FNV-1a: the same on every machine and in every run.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash ^ (hash >> 32U);
}

std::string paint_rules(const Paint& paint, bool dark) {
  return fmt::format("path.{0},.{0} rect{{fill:{1}}}text.{0},.{0} text{{fill:{2}}}\n", paint.name,
                     dark ? paint.dark_fill : paint.light_fill, dark ? paint.dark_text : paint.light_text);
}

std::string rules(bool dark) {
  std::string css;
  for (const Paint& hue : kHues)
    css += paint_rules(hue, dark);
  for (const Paint* paint : {&paint::kBaseline, &paint::kRest, &paint::kNoStack})
    css += paint_rules(*paint, dark);
  for (const PageColour& colour : kColours)
    css += fmt::format("{}{{{}:{}}}\n", colour.selector, colour.property, dark ? colour.dark : colour.light);
  return css;
}

} // namespace

std::span<const Paint> hues() {
  return kHues;
}

void LineHues::name(std::string_view line) {
  if (named_.find(line) != named_.end()) return;
  std::size_t hue = hash_of(line) % kHues.size();
  const auto is_taken = [&](std::size_t wanted) {
    return std::any_of(named_.begin(), named_.end(), [&](const auto& entry) { return entry.second == wanted; });
  };
  for (std::size_t tried = 0; tried < kHues.size() && is_taken(hue); ++tried)
    hue = (hue + 1) % kHues.size();
  named_.emplace(line, hue);
}

const Paint& LineHues::of(std::string_view line) const {
  const auto named = named_.find(line);
  return kHues.at(named != named_.end() ? named->second : hash_of(line) % kHues.size());
}

std::string timeline_css() {
  return kTimelineStyle + rules(false) + "@media (prefers-color-scheme:dark){\n" + rules(true) + "}\n";
}

} // namespace memviz::render
