#include "export/text_rows.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

namespace {

/// Returns one row of a table with the columns "a" and "b", without its head.
template <class Value> std::string row_of(TableFormat format, const Value& value) {
  constexpr std::array<TableColumn, 2> kColumns{{{"a"}, {"b"}}};
  std::string text;
  const auto rows = text_rows(kColumns, format, [&text](std::string_view piece) { text += piece; });
  rows->row(value, 1);
  rows->flush();
  return format == TableFormat::csv ? text.substr(text.find('\n') + 1) : text;
}

std::string csv_of(std::string_view text) {
  return row_of(TableFormat::csv, text);
}

} // namespace

TEST_CASE("a text in CSV is in quotes where a reader needs them") {
  CHECK(csv_of("step train.py:1") == "step train.py:1,1\n");
  CHECK(csv_of("f(a, b)") == "\"f(a, b)\",1\n");
  CHECK(csv_of("say \"x\"") == "\"say \"\"x\"\"\",1\n");
  CHECK(csv_of("") == "\"\",1\n");
  CHECK(row_of(TableFormat::csv, std::optional<std::string>()) == ",1\n");
}

TEST_CASE("a text in CSV that begins like a formula has an apostrophe before it") {
  for (const std::string text : {"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=cmd|' /C calc'!A0"})
    CHECK(csv_of(text) == "\"'" + text + "\",1\n");
  SUBCASE("also after what begins a cell in some spreadsheets") {
    CHECK(csv_of("x;=1+1") == "\"x;'=1+1\",1\n");
    CHECK(csv_of("x\n@y") == "\"x\n'@y\",1\n");
    CHECK(csv_of("x\t-y\r+z") == "\"x\t'-y\r'+z\",1\n");
  }
  SUBCASE("but not within a text") {
    CHECK(csv_of("operator=(int) a-b.py:1") == "operator=(int) a-b.py:1,1\n");
  }
  SUBCASE("and a number stays one") {
    CHECK(row_of(TableFormat::csv, -1) == "-1,1\n");
    CHECK(row_of(TableFormat::csv, Wide{std::int64_t{-1}}) == "-1,1\n");
  }
  SUBCASE("nor in JSON, which no spreadsheet calculates") {
    CHECK(row_of(TableFormat::ndjson, std::string("=1")) == "{\"a\": \"=1\", \"b\": 1}\n");
  }
}

} // namespace memviz
