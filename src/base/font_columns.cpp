#include "base/font_columns.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

/// Returns the longest prefix of `text` within `columns`.
std::string_view prefix_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint point = first_code_point(text.substr(bytes));
    const std::size_t needed = font_columns(point.value);
    if (needed > columns) break;
    columns -= needed;
    bytes += point.bytes;
  }
  return text.substr(0, bytes);
}

std::string_view suffix_within(std::string_view text, std::size_t columns) {
  std::size_t total = columns_of(text);
  while (total > columns) {
    const CodePoint point = first_code_point(text);
    total -= font_columns(point.value);
    text.remove_prefix(point.bytes);
  }
  return text;
}

} // namespace

std::size_t font_columns(char32_t point) {
  if (point < 0x530 || (point >= 0x2010 && point <= 0x2027) || point == 0x2212) return 1;
  if (point == 0xfdfa || point == 0xfdfb || point == 0xfdfd) return 14;
  if (point >= 0x10000 && point < 0x1f000) return 4;
  return 2;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    columns += font_columns(point.value);
    text.remove_prefix(point.bytes);
  }
  return columns;
}

std::string cut_end(std::string_view text, std::size_t columns) {
  if (columns < 3) return "";
  if (columns_of(text) <= columns) return std::string(text);
  return std::string(prefix_within(text, columns - 1)) + "…";
}

std::string cut_start(std::string_view text, std::size_t columns) {
  if (columns < 3) return "";
  if (columns_of(text) <= columns) return std::string(text);
  return "…" + std::string(suffix_within(text, columns - 1));
}

std::string cut_name(std::string_view name, std::size_t columns) {
  if (columns < 3 || columns_of(name) <= columns) return cut_end(name, columns);
  // The ends of addresses distinguish segments: many begin alike.
  if (name.starts_with("segment 0x")) return cut_start(name, columns);
  for (std::size_t colons = name.find("::"); colons != std::string_view::npos; colons = name.find("::")) {
    name.remove_prefix(colons + 2);
    if (columns_of(name) < columns) return fmt::format("…{}", name);
  }
  return cut_end(name, columns);
}

} // namespace memviz
