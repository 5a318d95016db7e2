#pragma once

// Rows of cells -> lines with aligned columns, for a fixed-width font, or a table in Markdown.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

enum class Align { left, right };

class TextTable {
public:
  TextTable(std::initializer_list<Align> columns) : columns_(columns) {}
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  /// Cells are printable text; missing cells at the end of a row are empty.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Returns every row as a line that starts with `indent`, with two spaces between columns and none at the end.
  /// `left_out`: the rows that the table does not have, which a last line counts.
  [[nodiscard]] std::string text(std::string_view indent, std::uint64_t left_out = 0) const;

  /// Returns the table in Markdown; its first row is the head. Cells are Markdown.
  [[nodiscard]] std::string markdown() const;

  /// Returns the width of the widest line, without the indent.
  [[nodiscard]] std::size_t width() const;

private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace memviz
