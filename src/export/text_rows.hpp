#pragma once

// The rows of a table -> lines of CSV or JSON.

#include "export/table_rows.hpp"
#include "memviz/tables.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace memviz {

/// Adds values to a line, and gives whole lines to a sink.
class TextRows : public TableRows {
public:
  explicit TextRows(TextSink write) : write_(std::move(write)) {}
  void flush() {
    write_(text_);
    text_.clear();
  }

protected:
  /// Returns the text of the lines that are not written yet.
  [[nodiscard]] std::string& out() { return text_; }
  void end_line() {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;
    text_ += '\n';
    if (text_.size() >= kPieceBytes) flush();
  }

private:
  std::string text_;
  TextSink write_;
};

/// A head line is written first where the format has one.
[[nodiscard]] std::unique_ptr<TextRows> text_rows(std::span<const std::string_view> columns, TableFormat format,
                                                  TextSink write);

} // namespace memviz
