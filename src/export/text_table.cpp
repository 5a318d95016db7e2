#include "export/text_table.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace memviz {

namespace {

constexpr std::string_view kGap = "  ";

} // namespace

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> result(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      result[i] = std::max(result[i], column_count(row[i]));
  return result;
}

std::size_t TextTable::width() const {
  const auto column_widths = widths();
  return std::accumulate(column_widths.begin(), column_widths.end(), kGap.size() * (columns_.size() - 1));
}

std::string TextTable::text(std::string_view indent, std::uint64_t left_out) const {
  const auto column_widths = widths();
  std::string result;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += kGap;
      const std::string padding(column_widths[i] - column_count(row[i]), ' ');
      line += columns_[i] == Align::right ? padding + row[i] : row[i] + padding;
    }
    line.resize(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  }
  if (left_out > 0) result += fmt::format("{}and {} more\n", indent, format_count(left_out));
  return result;
}

std::string TextTable::markdown() const {
  std::string result;
  for (const auto& row : rows_) {
    const bool is_head = &row == rows_.data();
    for (const std::string& cell : row)
      result += cell.empty() ? "| " : fmt::format("| {} ", cell);
    result += "|\n";
    if (!is_head) continue;
    for (const Align align : columns_)
      result += align == Align::right ? "|--:" : "|:--";
    result += "|\n";
  }
  return result;
}

} // namespace memviz
