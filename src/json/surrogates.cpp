#include "json/surrogates.hpp"

#include <charconv>
#include <cstddef>
#include <optional>

namespace memviz::json {
namespace {

constexpr std::size_t kEscapeBytes = 6; // \ud800

enum class Half { none, high, low };

/// Returns the surrogate of the escape at the beginning of `text`.
Half surrogate_half(std::string_view text) {
  if (!text.starts_with("\\u") || text.size() < kEscapeBytes) return Half::none;
  unsigned value = 0;
  const char* const end = text.data() + kEscapeBytes;
  const auto result = std::from_chars(text.data() + 2, end, value, 16);
  if (result.ptr != end || value < 0xD800 || value > 0xDFFF) return Half::none;
  return value < 0xDC00 ? Half::high : Half::low;
}

/// Returns the offset of the next one at or after `from`.
std::optional<std::size_t> next_lone_surrogate(std::string_view bytes, std::size_t from) {
  for (std::size_t at = bytes.find('\\', from); at < bytes.size(); at = bytes.find('\\', at)) {
    const Half half = surrogate_half(bytes.substr(at));
    if (half == Half::none) {
      at += 2; // an escaped backslash begins no escape
      continue;
    }
    if (half == Half::low || surrogate_half(bytes.substr(at + kEscapeBytes)) != Half::low) return at;
    at += 2 * kEscapeBytes;
  }
  return std::nullopt;
}

} // namespace

std::string without_lone_surrogates(std::string_view bytes) {
  std::string mended;
  for (auto at = next_lone_surrogate(bytes, 0); at; at = next_lone_surrogate(bytes, *at + kEscapeBytes)) {
    if (mended.empty()) mended = bytes;
    mended.replace(*at, kEscapeBytes, "\\ufffd");
  }
  return mended;
}

} // namespace memviz::json
