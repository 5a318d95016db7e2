#pragma once

// The tables of DeepView.Profile's memory report, and memviz_report and memviz_entries next to them.

#include "memviz/sqlite_file.hpp"
#include "sqlite/database.hpp"

namespace memviz {

/// The seven statements that make the tables, as DeepView.Profile's documentation has them.
void create_report_tables(Database& database);
void write_report_tables(Database& database, const SqliteSubject& subject);

/// memviz_report: what the figures are of, a text for each key; of the gradients, too, where there is a report.
void write_facts(Database& database, const SqliteSubject& subject, bool has_report);

} // namespace memviz
