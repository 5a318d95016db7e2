#include "timeline/timeline_palette.hpp"

#include "web/embedded.hpp"

#include <array>
#include <cstdint>
#include <fmt/format.h>

namespace memviz::render {
namespace {

// From Okabe and Ito's, moved apart in lightness until the least distance of any two (in OKLab, for normal sight and
// with protanopia or deuteranopia as Machado et al. 2009 simulate them) was as large as it gets. Not their pink: that
// says no stack. On dark pages none is so dark that it sinks into the ground; the bright ones have dark text.
constexpr std::array kHues{
    Paint{"hue0", "#dbab47", "#1d2026", "#cd7001", "#0b0c0f"},
    Paint{"hue1", "#3fb3a8", "#1d2026", "#04bacf", "#0b0c0f"},
    Paint{"hue2", "#94b2f7", "#1d2026", "#879aff", "#0b0c0f"},
    Paint{"hue3", "#e68077", "#1d2026", "#c5a194", "#0b0c0f"},
    Paint{"hue4", "#e0faa3", "#1d2026", "#679861", "#0b0c0f"},
    Paint{"hue5", "#9481fc", "#1d2026", "#7c62d1", "#ffffff"},
    Paint{"hue6", "#fbd72f", "#1d2026", "#b8ab04", "#0b0c0f"},
    Paint{"hue7", "#5c8fbe", "#1d2026", "#0d5fa0", "#ffffff"},
    Paint{"hue8", "#be8606", "#1d2026", "#72675b", "#ffffff"},
    Paint{"hue9", "#bbd89a", "#1d2026", "#2e6a04", "#ffffff"},
};

constexpr std::array kColours{
    PageColour{".panel-ground", "fill", "#f4f5f3", "#1b1e24"},
    PageColour{".grid", "stroke", "#dfe2e6", "#30353e"},
    PageColour{".bands path", "stroke", kLightPage, kDarkPage},
    PageColour{".live-line", "stroke", "#3d4350", "#c9ced8"},
    PageColour{".lowest-line", "stroke", "#ffffff", "#0b0c0f"},
    PageColour{".reserved-line", "stroke", "#3a6db5", "#7fb0ee"},
    PageColour{".reserved-text", "fill", "#2f5f9f", "#8fbcf3"},
    PageColour{".reserved-text,.capacity-text", "stroke", "#f4f5f3", "#1b1e24"},
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

std::string paint_rule(const Paint& paint, bool dark) {
  return fmt::format("path.{0},.{0} rect{{fill:{1}}}text.{0},.{0} text{{fill:{2}}}\n", paint.name,
                     dark ? paint.dark_fill : paint.light_fill, dark ? paint.dark_text : paint.light_text);
}

std::string rules(bool dark) {
  std::string css;
  for (const Paint& hue : kHues)
    css += paint_rule(hue, dark);
  for (const Paint* paint : {&paint::kOtherLines, &paint::kNoStack})
    css += paint_rule(*paint, dark);
  return css + colour_rules(kColours, dark);
}

} // namespace

std::span<const Paint> hues() {
  return kHues;
}

std::vector<std::size_t> choose_hues(const std::vector<HueWish>& lines) {
  std::vector<std::size_t> hues;
  for (const HueWish& line : lines) {
    const bool gets_its_own = hues.size() < kHues.size();
    std::array<bool, kHues.size()> is_taken{};
    if (gets_its_own) {
      for (const std::size_t hue : hues)
        is_taken.at(hue) = true;
    } else {
      for (const std::size_t neighbour : line.neighbours)
        if (neighbour < hues.size()) is_taken.at(hues[neighbour]) = true;
    }
    const std::size_t wanted = hash_of(line.text) % kHues.size();
    std::size_t hue = wanted;
    for (std::size_t tried = 1; tried < kHues.size() && is_taken.at(hue); ++tried)
      hue = (wanted + tried) % kHues.size();
    hues.push_back(hue);
  }
  return hues;
}

std::string timeline_css() {
  // As in lists and legends; a viewer that cannot fill with the pattern takes the plain colour.
  const std::string no_stack = fmt::format("path.{}{{fill:url(#{})}}\n", paint::kNoStack.name, kUnknownPattern);
  return std::string(kTimelineStyle) + in_both_schemes(rules) + no_stack;
}

} // namespace memviz::render
