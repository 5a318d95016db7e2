#include "story/holders.hpp"

#include <doctest/doctest.h>

using namespace memviz;

TEST_CASE("holder_table: the rows of holders and the rest add up to all, with the lines within them") {
  std::vector<UserLine> lines;
  std::uint64_t all_bytes = 0;
  for (std::uint32_t i = 0; i < 12; ++i) {
    lines.push_back({FrameId{i}, {i == 0 ? 5'000'000U : 12 - i, 2}});
    all_bytes += lines.back().amount.bytes;
  }
  lines.front().within.push_back({FrameId{20}, {4'000'000, 1}});
  const auto shown_bytes = [](const HolderTable& table) {
    std::uint64_t bytes = table.left_out.bytes;
    for (const HolderRow& row : table.rows)
      if (!row.is_within) bytes += row.amount.bytes;
    return bytes;
  };

  SUBCASE("cut after the most rows") {
    const HolderTable table = holder_table(lines, all_bytes, {.noun = "range"}, {.most = 10});
    CHECK(table.rows.size() == 11);
    CHECK(table.rows[1].is_within);
    CHECK(table.rows[1].note == "1 range");
    CHECK(table.rows[1].share == "80.0 %");
    CHECK(table.rest == "and 2 more lines with 3 B together");
    CHECK(shown_bytes(table) == all_bytes);
  }
  SUBCASE("small ones are omitted after the first three") {
    const HolderTable table = holder_table(lines, all_bytes, {.rest_noun = "keeper", .has_rest_bytes = false},
                                           {.most = 10, .omits_small = true});
    CHECK(table.rows.size() == 4);
    CHECK(table.left_out.holders == 9);
    CHECK(table.rest == "and 9 more keepers");
    CHECK(shown_bytes(table) == all_bytes);
  }
  SUBCASE("an empty one says why") {
    CHECK(holder_table({}, 0).rest == "Nothing is in use.");
  }
}
