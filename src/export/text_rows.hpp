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
[[nodiscard]] std::unique_ptr<TextRows> text_rows(std::span<const std::string_view> columns, TableFormat format,
                                                  TextSink write);

} // namespace memviz
