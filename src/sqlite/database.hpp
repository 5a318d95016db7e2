#pragma once

// SQLite's C library: a file that is written once, in one transaction, and its prepared statements. The one folder that
// includes sqlite3.h.

#include "memviz/device_id.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace memviz {

/// Nothing reads the file before it is whole, so it has no journal, and nothing waits for the disk.
class Database {
public:
  /// A new database in a file that is missing or empty; ":memory:" is none. Throws Error.
  Database(const std::string& path, int page_bytes);

  /// Statements without a result. Throws Error, or std::bad_alloc.
  void run(const char* sql);
  /// Ends the transaction and closes the file. Throws Error.
  void finish();
  /// For reading what was written to ":memory:".
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  /// Of what SQLite answered, where it is no success. Throws Error, or std::bad_alloc.
  void check(int result) const;
  /// A compiled statement, for sqlite3_finalize(). Throws as check().
  [[nodiscard]] sqlite3_stmt* prepared(std::string_view sql) const;
  /// Runs one that has no result. Throws as check().
  void step(sqlite3_stmt* statement) const;

private:
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_;
};

/// An insertion that is compiled once.
class Insertion {
public:
  /// `database` must outlive this.
  Insertion(Database& database, std::string_view sql);

  /// One row: integers, texts that are valid UTF-8 and stay until the next row, and NULL for none. Unsigned numbers are
  /// stored by their bits.
  template <class... Values> void row(const Values&... values) {
    int index = 0;
    (put(++index, values), ...);
    database_.step(statement_.get());
  }

private:
  template <class Number>
  requires std::is_integral_v<Number>
  void put(int index, Number number) {
    nulls_ &= ~bit(index);
    database_.check(sqlite3_bind_int64(statement_.get(), index, static_cast<sqlite3_int64>(number)));
  }
  void put(int index, std::string_view text);
  void put(int index, const std::string& text) { put(index, std::string_view(text)); }
  /// A null pointer is NULL.
  void put(int index, const std::uint64_t* number) {
    if (number != nullptr)
      put(index, *number);
    else
      put_null(index);
  }
  template <class Value> void put(int index, const std::optional<Value>& value) {
    if (value)
      put(index, *value);
    else
      put_null(index);
  }
  /// A parameter stays NULL from row to row by itself, which saves a call for each column that is mostly empty.
  void put_null(int index);
  [[nodiscard]] static constexpr std::uint32_t bit(int index) { return std::uint32_t{1} << index; }

  Database& database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
  std::uint32_t nulls_ = ~std::uint32_t{0}; ///< a bit for each parameter that is NULL, as all are at first
};

/// `text` of a file as a column may have it: printable, and cut where it is longer than any name.
[[nodiscard]] std::string column_text(std::string_view text);

/// As the tables have it: -1 for pinned host memory.
[[nodiscard]] constexpr std::int64_t device_number(DeviceId device) {
  return is_host(device) ? -1 : static_cast<std::int64_t>(device.value);
}

} // namespace memviz
