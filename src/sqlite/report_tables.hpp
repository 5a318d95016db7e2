#pragma once

// The tables of DeepView.Profile's memory report, and memviz_report and memviz_entries next to them.

#include "memviz/sqlite_file.hpp"
#include "sqlite/database.hpp"

namespace memviz {

/// The seven statements that create the tables, as in DeepView.Profile's documentation.
void create_report_tables(Database& database);
void write_report_tables(Database& database, const SqliteSubject& subject);

/// Writes memviz_report: what the figures describe, a text for each key; for the gradients as well, if there is a
/// report.
void write_facts(Database& database, const SqliteSubject& subject, bool has_report);

} // namespace memviz
