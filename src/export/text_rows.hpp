#pragma once

// The rows of a table -> lines of CSV or JSON.

#include "export/table_rows.hpp"
#include "memviz/tables.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace memviz {

/// Appends values to a line, and passes whole lines to a sink.
class TextRows : public TableRows {
public:
  explicit TextRows(TextSink write) : write_(std::move(write)) {}
  void flush() {
    write_(text_);
    text_.clear();
  }

protected:
  /// Returns the lines that have not been written yet.
  [[nodiscard]] std::string& out() { return text_; }
  template <class Number> void add_digits(Number number) {
    const fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
  }
  void end_line() {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;
    text_ += '\n';
    if (text_.size() >= kPieceBytes) flush();
  }

private:
  std::string text_;
  TextSink write_;
};

/// Writes a header line first if the format has one.
[[nodiscard]] std::unique_ptr<TextRows> text_rows(std::span<const TableColumn> columns, TableFormat format,
                                                  TextSink write);

} // namespace memviz
