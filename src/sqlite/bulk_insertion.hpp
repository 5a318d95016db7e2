#pragma once

// Many rows of a table in one statement, for which SQLite asks column by column: a virtual table that is read from
// (https://www.sqlite.org/vtab.html). It takes less than half the time of binding the values of one row after the
// other.

#include "sqlite/database.hpp"

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace memviz {

/// Where the value of one column of one row goes; without any it is NULL.
class Cell {
public:
  explicit Cell(sqlite3_context* context) : context_(context) {}

  /// Unsigned numbers are stored by their bits.
  template <std::integral Number> void put(Number number) {
    sqlite3_result_int64(context_, static_cast<sqlite3_int64>(number));
  }
  template <class Number> void put(const std::optional<Number>& number) {
    if (number) put(*number);
  }
  /// Of a constant: it is not copied.
  void put_constant(std::string_view text) {
    sqlite3_result_text(context_, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

private:
  sqlite3_context* context_;
};

/// What the rows of a batch are.
class RowSource {
public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  [[nodiscard]] virtual std::size_t row_count() const = 0;
  /// Columns count from 0, in the order of the table.
  virtual void put(std::size_t row, int column, Cell cell) const = 0;
};

/// An insertion that is compiled once, of what a source has at the time.
class BulkInsertion {
public:
  /// `database` and `source` must outlive this. Of a table of `columns` columns. Throws Error.
  BulkInsertion(Database& database, std::string_view table, int columns, const RowSource& source);

  /// All rows of the source. Throws Error, or std::bad_alloc.
  void insert();

private:
  Database& database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

} // namespace memviz
