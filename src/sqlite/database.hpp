#pragma once

// SQLite's C library: a file that is written once, in one transaction, and its prepared statements. The only folder
// that includes sqlite3.h.

#include "export/table_rows.hpp"

#include <cstdint>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace memviz {

/// The file is not read before it is complete, so it has no journal, and nothing waits for the disk.
class Database {
public:
  /// Creates a database in a file that is missing or empty; ":memory:" has no file. Throws Error.
  Database(const std::string& path, int page_bytes);

  /// Runs statements without a result. Throws Error, or std::bad_alloc.
  void run(const char* sql);
  /// Ends the transaction and closes the file. Throws Error.
  void finish();
  /// Returns SQLite's handle, to read what was written to ":memory:".
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  /// Checks SQLite's result. Throws Error, or std::bad_alloc, if it is not success.
  void check(int result) const;
  /// Returns a compiled statement, for sqlite3_finalize(). Throws the exceptions of check().
  [[nodiscard]] sqlite3_stmt* prepared(std::string_view sql) const;
  /// Runs a statement that has no result. Throws the exceptions of check().
  void step(sqlite3_stmt* statement) const;

private:
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_;
};

/// An insertion that is compiled once. Unsigned numbers are stored by their bits.
class Insertion final : public TableRows {
public:
  /// `database` must outlive this object.
  Insertion(Database& database, std::string_view sql);

private:
  void add(std::int64_t number) override;
  void add(std::uint64_t number) override { add(static_cast<std::int64_t>(number)); }
  void add(Wide<std::int64_t> number) override { add(number.value); }
  void add(Wide<std::uint64_t> number) override { add(number.value); }
  void add(std::string_view text) override;
  /// Skips a parameter, which stays NULL from row to row: that saves a call for each column that is mostly empty.
  void add_null() override;
  void end_row() override;
  /// Returns the place of the next parameter, which is no longer NULL.
  [[nodiscard]] int next();
  [[nodiscard]] static constexpr std::uint32_t bit(int index) { return std::uint32_t{1} << index; }

  Database& database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
  std::uint32_t nulls_ = ~std::uint32_t{0}; ///< one bit for each parameter that is NULL, as all are at first
  int index_ = 0;                           ///< of the last parameter of the row that has a value
};

} // namespace memviz
