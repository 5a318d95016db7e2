#include "memviz/sqlite_file.hpp"

#include "sqlite/database.hpp"
#include "sqlite/recording_tables.hpp"
#include "sqlite/report_tables.hpp"

namespace memviz {

namespace {

constexpr int kPageBytes = 4096;
constexpr int kLargePageBytes = 16384;

} // namespace

struct SqliteFile::Parts {
  Parts(const std::string& path, const SqliteTables& its_tables)
      : tables(its_tables), database(path, tables.recording ? kLargePageBytes : kPageBytes) {
    if (tables.report) create_report_tables(database);
    if (!tables.recording) return;
    create_recording_tables(database);
    events.emplace(database, tables.device);
  }

  SqliteTables tables;
  Database database;
  std::optional<StoredEvents> events;
};

SqliteFile::SqliteFile(const std::string& path, const SqliteTables& tables)
    : parts_(std::make_unique<Parts>(path, tables)) {
}

SqliteFile::~SqliteFile() = default;

EventSink* SqliteFile::events() {
  return parts_->events ? &*parts_->events : nullptr;
}

void SqliteFile::finish(const SqliteSubject& subject) {
  Database& database = parts_->database;
  if (parts_->tables.report) write_report_tables(database, subject);
  write_facts(database, subject, parts_->tables.report);
  if (parts_->tables.recording) write_recording_tables(database, subject, parts_->tables.device);
  parts_->events.reset();
  if (parts_->tables.recording) create_recording_indexes(database);
  database.finish();
}

} // namespace memviz
