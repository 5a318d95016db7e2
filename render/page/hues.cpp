#include "page/hues.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace memviz::render {
namespace {

// From Okabe and Ito's, with lightness changed until the smallest distance of any two (in OKLab, for normal sight and
// with protanopia or deuteranopia as Machado et al. 2009 simulate them) was as large as possible. Without their pink,
// which marks a missing stack. On dark pages none is so dark that it disappears in the background; bright ones have
// dark text.
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

/// FNV-1a: the same on every machine and in every run.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash ^ (hash >> 32U);
}

} // namespace

std::span<const Paint> hues() {
  return kHues;
}

std::vector<std::size_t> choose_hues(const std::vector<std::string>& lines) {
  std::vector<std::size_t> hues;
  std::array<bool, kHues.size()> is_taken{};
  for (const std::string& line : lines) {
    if (hues.size() == kHues.size()) is_taken = {};
    const auto wanted = static_cast<std::size_t>(hash_of(line) % kHues.size());
    std::size_t hue = wanted;
    for (std::size_t tried = 1; is_taken.at(hue); ++tried)
      hue = (wanted + tried) % kHues.size();
    if (hues.size() < kHues.size()) is_taken.at(hue) = true;
    hues.push_back(hue);
  }
  return hues;
}

} // namespace memviz::render
