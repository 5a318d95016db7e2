#include "base/characters.hpp"

#include "base/printable.hpp"
#include "base/unicode_tables.hpp"

#include "support/files.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace memviz {

TEST_CASE("a terminal's columns are those of wcwidth") {
  const auto vectors = nlohmann::json::parse(test::read_bytes(test::testdata_file("width_vectors.json")));
  REQUIRE(vectors.at("terminal").size() > 20);
  for (const auto& row : vectors.at("terminal")) {
    const auto text = row[0].get<std::string>();
    CHECK_MESSAGE(column_count(text) == row[1].get<std::size_t>(), row.dump());
    CHECK_MESSAGE(column_count(printable(text)) == column_count(text), row.dump());
  }
}

TEST_CASE("what could do more than be read is unsafe") {
  for (const unsigned point : {0x00U,   0x09U,   0x0AU,   0x0DU,    0x1BU,    0x7FU,    0x85U,    0x9BU,    0xADU,
                               0x61CU,  0x180EU, 0x200BU, 0x200EU,  0x200FU,  0x2028U,  0x2029U,  0x202AU,  0x202EU,
                               0x2060U, 0x2065U, 0x2066U, 0x2069U,  0x206AU,  0xD800U,  0xDFFFU,  0xFDD0U,  0xFEFFU,
                               0xFFF9U, 0xFFFEU, 0xFFFFU, 0x1FFFEU, 0xE0001U, 0xE0041U, 0xE007FU, 0xE0FFFU, 0x10FFFFU})
    CHECK_MESSAGE(is_unsafe(point), point);
}

TEST_CASE("what a language or an emoji is written with is safe") {
  for (const unsigned point :
       {0x20U,   0x7EU,   0xA0U,   0xE9U,   0x301U,  0x5D0U,  0x600U,  0x6DDU,  0x200CU,  0x200DU,  0x2010U,  0x2027U,
        0x202FU, 0x20ACU, 0x2026U, 0x3000U, 0x6A21U, 0xE000U, 0xFE0FU, 0xFFFDU, 0x1F642U, 0x1F1E9U, 0xE0100U, 0xE01EFU})
    CHECK_MESSAGE(!is_unsafe(point), point);
}

TEST_CASE("the tables of Unicode are ranges in order, and no character is in two of them") {
  CHECK(unicode_version() == "14.0.0");
  for (const auto borders : {unsafe_borders(), zero_width_borders(), wide_borders()}) {
    CHECK(borders.size() % 2 == 0);
    CHECK(std::adjacent_find(borders.begin(), borders.end(), std::greater_equal<>()) == borders.end());
  }
  for (char32_t point = 0; point <= 0x10FFFF; ++point)
    if (is_unsafe(point) && terminal_columns(point) != 1) FAIL_CHECK(static_cast<unsigned>(point));
}

} // namespace memviz
