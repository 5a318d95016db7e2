#include "run/file_facts.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::rehearse;

TEST_CASE("facts at the peak are those of the GPU that held most") {
  const auto facts = facts_at_peak(test::testdata_file("devices_streams"));
  REQUIRE(facts);
  CHECK(facts->device.device == DeviceId{2});
  REQUIRE(facts->holders.size() <= 3);
}

TEST_CASE("without events, or a GPU, nothing is known at the peak") {
  for (const char* const name : {"segments_only", "empty"}) {
    CAPTURE(name);
    CHECK_FALSE(facts_at_peak(test::testdata_file(name)));
  }
}

TEST_CASE("facts at the failure are there where memory ran out") {
  CHECK(facts_at_failure(test::testdata_file("oom")));
  CHECK_FALSE(facts_at_failure(test::testdata_file("training_step")));
  CHECK_FALSE(facts_at_failure(test::testdata_file("empty")));
}

TEST_CASE("facts have the kinds of what was in use") {
  const auto facts = facts_at_peak(test::testdata_file("training_step"));
  REQUIRE(facts);
  CHECK(bytes_of_kinds(facts->kinds) == facts->device.figures.requested_bytes);
  CHECK(has_known(facts->kinds));
}
