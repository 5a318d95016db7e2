#include "story/explain_words.hpp"
#include "story/picture_words.hpp"

#include <doctest/doctest.h>

using namespace memviz;

TEST_CASE("segments_text names what the lists of segments show") {
  const SegmentRef segment{.address = 4096, .total_bytes = 1024, .device = {}, .stream = 0};
  SegmentRef larger = segment;
  larger.total_bytes = 2048;
  Comparison comparison;

  SUBCASE("one side has all of them") {
    comparison.only_before = {segment};
    CHECK(segments_text(comparison) == "All of them are only before.");
    comparison.only_after.swap(comparison.only_before);
    CHECK(segments_text(comparison) == "All of them are only after.");
  }
  SUBCASE("both sides have others, one of them at the same address") {
    comparison.only_before = {segment};
    comparison.only_after = {larger};
    CHECK(segments_text(comparison) ==
          "No segment is in both files, so they are from two processes, whose addresses cannot match: 1 segment before "
          "(1.00 KiB), 1 segment after (2.00 KiB). Or from one, whose expandable segments changed size: 1 is at the "
          "same address.");
  }
}

TEST_CASE("grown_text names the low point, and what was requested then in all") {
  Growth growth;
  growth.low_bytes = 2048;
  CHECK(grown_text(growth) == "Since the first event, when 2.00 KiB was requested in all, allocated and kept:");
  growth.low_event = EventIndex(1200);
  CHECK(grown_text(growth) == "Since event 1,200, when 2.00 KiB was requested in all, allocated and kept:");
}
