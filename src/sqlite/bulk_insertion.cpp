#include "sqlite/bulk_insertion.hpp"

#include <fmt/format.h>
#include <new>
#include <string>

namespace memviz {

namespace {

/// SQLite knows the two by their first member, and they begin with it.
struct Table {
  sqlite3_vtab base{};
  const RowSource* source = nullptr;
};

struct Cursor {
  sqlite3_vtab_cursor base{};
  std::size_t row = 0;
};

Cursor& cursor_of(sqlite3_vtab_cursor* base) {
  return *reinterpret_cast<Cursor*>(base);
}

const RowSource& source_of(const sqlite3_vtab_cursor* base) {
  return *reinterpret_cast<const Table*>(base->pVtab)->source;
}

struct Source {
  const RowSource* rows;
  std::string declaration; ///< of the table that it is read as
};

std::string declaration_of(int columns) {
  std::string text = "CREATE TABLE rows(c0";
  for (int column = 1; column < columns; ++column)
    text += fmt::format(", c{}", column);
  return text + ")";
}

// NOLINTNEXTLINE(readability-function-size): SQLite names the parameters.
int connect(sqlite3* handle, void* client, int /*argc*/, const char* const* /*argv*/, sqlite3_vtab** made,
            char** /*message*/) {
  const Source& source = *static_cast<const Source*>(client);
  const int declared = sqlite3_declare_vtab(handle, source.declaration.c_str());
  if (declared != SQLITE_OK) return declared;
  auto* const table = new (std::nothrow) Table{{}, source.rows};
  if (table == nullptr) return SQLITE_NOMEM;
  *made = &table->base;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<Table*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* /*table*/, sqlite3_index_info* /*info*/) {
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** made) {
  auto* const cursor = new (std::nothrow) Cursor;
  if (cursor == nullptr) return SQLITE_NOMEM;
  *made = &cursor->base;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete &cursor_of(cursor);
  return SQLITE_OK;
}

int rewind_cursor(sqlite3_vtab_cursor* cursor, int /*index*/, const char* /*text*/, int /*argc*/,
                  sqlite3_value** /*argv*/) {
  cursor_of(cursor).row = 0;
  return SQLITE_OK;
}

int go_on(sqlite3_vtab_cursor* cursor) {
  ++cursor_of(cursor).row;
  return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* cursor) {
  return cursor_of(cursor).row >= source_of(cursor).row_count() ? 1 : 0;
}

int put_column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  source_of(cursor).put(cursor_of(cursor).row, column, Cell(context));
  return SQLITE_OK;
}

int put_row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(cursor_of(cursor).row);
  return SQLITE_OK;
}

/// Without xCreate a table of the module's name is there by itself.
sqlite3_module reading_module() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xDisconnect = disconnect;
  module.xBestIndex = best_index;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = rewind_cursor;
  module.xNext = go_on;
  module.xEof = is_at_end;
  module.xColumn = put_column;
  module.xRowid = put_row_id;
  return module;
}

const sqlite3_module kModule = reading_module();

void forget(void* source) {
  delete static_cast<Source*>(source);
}

sqlite3_stmt* prepared(const Database& database, std::string_view table, int columns, const RowSource& source) {
  const std::string name = fmt::format("rows_for_{}", table);
  // SQLite deletes it, where this fails, too.
  auto* const client = new Source{&source, declaration_of(columns)};
  database.check(sqlite3_create_module_v2(database.handle(), name.c_str(), &kModule, client, forget));
  return database.prepared(fmt::format("INSERT INTO {} SELECT * FROM {}", table, name));
}

} // namespace

BulkInsertion::BulkInsertion(Database& database, std::string_view table, int columns, const RowSource& source)
    : database_(database), statement_(prepared(database, table, columns, source), sqlite3_finalize) {
}

void BulkInsertion::insert() {
  database_.step(statement_.get());
}

} // namespace memviz
