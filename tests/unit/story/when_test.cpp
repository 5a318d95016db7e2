#include "story/when.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>

using namespace memviz;

TEST_CASE("time_range_text") {
  constexpr std::int64_t kStart = 1'714'564'803'000'000; // 2024-05-01 12:00:03 UTC
  CHECK(time_range_text(kStart, kStart + 248'000'000) == "recorded 2024-05-01 12:00:03 to 12:04:11 UTC (4 min 8 s)");
  CHECK(time_range_text(kStart, kStart + 86'400'000'000) ==
        "recorded 2024-05-01 12:00:03 to 2024-05-02 12:00:03 UTC (1 d 0 h)");
  CHECK(time_range_text(kStart, kStart + 416'000) == "recorded 2024-05-01 12:00:03 UTC (416 ms)");
  SUBCASE("times that are not dates show only how long") {
    CHECK(time_range_text(0, 5'000'000) == "recorded over 5.00 s");
    CHECK(time_range_text(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max())
              .starts_with("recorded over 213,503,982 d"));
  }
}
