#include "logs/logged_sizes.hpp"

#include <charconv>
#include <cmath>
#include <string>

namespace memviz {

std::string sized_pattern(std::string_view pattern) {
  constexpr std::string_view kPlace = "<size>";
  constexpr std::string_view kSize = R"((\d[\d,]*(?:\.\d+)?)\s*(bytes|[KMGT]i?B|[KMGT]\b|B\b|))";
  std::string whole(pattern);
  for (std::size_t at = whole.find(kPlace); at != std::string::npos; at = whole.find(kPlace, at + kSize.size()))
    whole.replace(at, kPlace.size(), kSize);
  return whole;
}

std::optional<std::uint64_t> logged_bytes(std::string_view number, std::string_view unit) {
  constexpr double kMostLoggedBytes = 1e17;
  std::string plain;
  for (const char c : number)
    if (c != ',') plain += c;
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc{} || end != plain.data() + plain.size()) return std::nullopt;
  for (const char first : std::string_view("KMGT")) {
    if (unit.empty() || unit.starts_with('b') || unit.starts_with('B')) break;
    value *= 1024;
    if (unit.starts_with(first)) break;
  }
  if (!(value >= 0 && value <= kMostLoggedBytes)) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(value));
}

} // namespace memviz
