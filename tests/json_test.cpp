#include "memviz/error.hpp"
#include "memviz/snapshot.hpp"
#include "json/json_reader.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;

TEST_CASE("the JSON form of a snapshot reads like its pickle") {
  const Snapshot snapshot =
      read_snapshot(R"( {"segments": [{"device": 0, "address": 140000000000000, "total_size": 1024,
      "stream": 0, "segment_pool_id": [0, 1], "blocks": [{"size": 1024, "requested_size": 1000, "state":
      "active_allocated", "frames": [{"name": "main", "filename": "train.py", "line": 3}]}]}],
      "device_traces": [[{"action": "alloc", "addr": 140000000000000, "size": 1000, "stream": 0, "frames": []}]]})");
  CHECK(snapshot.origin.encoding == "JSON");
  REQUIRE(snapshot.blocks.size() == 1);
  CHECK(snapshot.blocks[0].requested_bytes == 1000);
  CHECK(snapshot.segments[0].pool == PoolId{0, 1});
  CHECK(snapshot.frames.name(snapshot.frames.stack(snapshot.blocks[0].stack)[0]) == "main");
  CHECK(snapshot.traces[0].size() == 1);
}

TEST_CASE("JSON errors") {
  SUBCASE("what is not JSON is named with its offset") {
    CHECK_THROWS_WITH_AS(static_cast<void>(json::read("{\"segments\": [}")),
                         doctest::Contains("byte 14: expected JSON"), ParseError);
    CHECK_THROWS_AS(static_cast<void>(json::read("{\"a\": 1} trailing")), ParseError);
  }
  SUBCASE("content of the wrong type is named by its path") {
    CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot(R"({"segments": [{"address": "x", "total_size": 1}]})")),
                         "expected an int for segments[0].address, found a str", Error);
  }
  SUBCASE("nesting costs memory, not stack") {
    CHECK_THROWS_AS(static_cast<void>(read_snapshot(std::string(1'000'000, '['))), Error);
    const std::string nested = std::string(500'000, '[') + std::string(500'000, ']');
    CHECK_THROWS_AS(static_cast<void>(read_snapshot(nested)), Error);
  }
}
