#include "export/schemas.hpp"

#include "memviz/tables.hpp"
#include "support/files.hpp"
#include "verdict/fit_report.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace memviz {

namespace {

std::vector<DocumentSchema> all_schemas() {
  std::vector<DocumentSchema> all(document_schemas().begin(), document_schemas().end());
  all.push_back({"rehearse", rehearse_schema});
  return all;
}

/// Returns the columns of a table in Markdown.
std::string columns_text(const TableDescription& table) {
  std::string text =
      fmt::format("\n## {}\n\nOne row per {}.\n\n| Column | Type | Meaning |\n|---|---|---|\n", table.name, table.row);
  for (const TableColumn& column : table.columns)
    text += fmt::format("| `{}` | {}{} | {} |\n", column.name, column.is_text ? "text" : "integer",
                        column.may_be_null ? " or null" : "", column.meaning);
  return text;
}

std::string tables_text() {
  std::string text = "# Tables\n\nThe columns of `memviz export --format csv` and `ndjson`, by `--table`, and of "
                     "`--format sqlite` ([report.md](report.md)).\nAddresses and streams, which may exceed 2^53, are "
                     "text in JSON.\n";
  for (std::uint8_t table = 0; table < kTables; ++table)
    text += columns_text(description_of(static_cast<Table>(table)));
  return text;
}

void check_written(const std::filesystem::path& path, const std::string& text) {
  if (std::getenv("MEMVIZ_BLESS") != nullptr) test::write_bytes(path.string(), text);
  const bool is_equal = test::read_bytes(path.string()) == text; // a check would print both
  CHECK_MESSAGE(is_equal, path, " is not what memviz writes; MEMVIZ_BLESS=1 writes it anew: read the difference");
}

} // namespace

TEST_CASE("docs/schemas has the schemas of the described documents") {
  const auto folder = test::testdata().parent_path() / "docs/schemas";
  CHECK(test::files_in(folder, ".json").size() == all_schemas().size());
  for (const DocumentSchema& schema : all_schemas())
    check_written(folder / (std::string(schema.name) + ".json"), schema.text());
}

TEST_CASE("docs/tables.md has the columns of the described tables") {
  check_written(test::testdata().parent_path() / "docs/tables.md", tables_text());
}

} // namespace memviz
