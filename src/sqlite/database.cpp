#include "sqlite/database.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <new>

namespace memviz {

namespace {

std::unique_ptr<sqlite3, int (*)(sqlite3*)> opened(const std::string& path) {
  sqlite3* handle = nullptr;
  const int result =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> owner(handle, sqlite3_close);
  if (handle == nullptr || result == SQLITE_NOMEM) throw std::bad_alloc();
  if (result != SQLITE_OK) throw Error(fmt::format("cannot be written: {}", sqlite3_errmsg(handle)));
  return owner;
}

} // namespace

Database::Database(const std::string& path, int page_bytes) : handle_(opened(path)) {
  run(fmt::format("PRAGMA page_size = {};", page_bytes).c_str());
  // A small cache: sorting the rows of an index takes as much memory, and is fastest if it fits in the processor's
  // cache.
  run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -1000;"
      "PRAGMA encoding = 'UTF-8'; BEGIN;");
}

void Database::run(const char* sql) {
  check(sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr));
}

void Database::finish() {
  run("COMMIT;");
  check(sqlite3_close(handle_.get()));
  static_cast<void>(handle_.release());
}

void Database::check(int result) const {
  if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
  if (result == SQLITE_NOMEM) throw std::bad_alloc();
  int number = (result & 0xff) == SQLITE_FULL ? ENOSPC : 0;
  if ((result & 0xff) == SQLITE_IOERR)
    static_cast<void>(sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_LAST_ERRNO, &number));
  const std::string why = number != 0 ? system_message(number) : sqlite3_errmsg(handle_.get());
  throw Error("cannot be written: " + why);
}

sqlite3_stmt* Database::prepared(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement,
                           nullptr));
  return statement;
}

void Database::step(sqlite3_stmt* statement) const {
  const int result = sqlite3_step(statement);
  check(result == SQLITE_DONE ? SQLITE_OK : result);
  check(sqlite3_reset(statement));
}

Insertion::Insertion(Database& database, std::string_view sql)
    : database_(database), statement_(database.prepared(sql), sqlite3_finalize) {
}

int Insertion::next() {
  nulls_ &= ~bit(++index_);
  return index_;
}

void Insertion::add(std::int64_t number) {
  database_.check(sqlite3_bind_int64(statement_.get(), next(), number));
}

void Insertion::add(std::string_view text) {
  // SQLite treats a null pointer as NULL.
  const char* const data = text.empty() ? "" : text.data();
  database_.check(sqlite3_bind_text(statement_.get(), next(), data, static_cast<int>(text.size()), SQLITE_STATIC));
}

void Insertion::add_null() {
  if ((nulls_ & bit(++index_)) != 0) return;
  nulls_ |= bit(index_);
  database_.check(sqlite3_bind_null(statement_.get(), index_));
}

void Insertion::end_row() {
  index_ = 0;
  database_.step(statement_.get());
}

} // namespace memviz
