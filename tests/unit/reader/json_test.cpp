#include "memviz/error.hpp"
#include "memviz/recording.hpp"
#include "support/snapshot_builder.hpp"
#include "json/json_reader.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("the JSON form of a snapshot reads like its pickle") {
  const Recording snapshot =
      read_snapshot(R"( {"segments": [{"device": 0, "address": 140000000000000, "total_size": 1024,
      "stream": 0, "segment_pool_id": [0, 1], "blocks": [{"size": 1024, "requested_size": 1000, "state":
      "active_allocated", "frames": [{"name": "main", "filename": "train.py", "line": 3}]}]}],
      "device_traces": [[{"action": "alloc", "addr": 140000000000000, "size": 1000, "stream": 0, "frames": []}]]})");
  CHECK(snapshot.origin.encoding == "JSON");
  CHECK(snapshot.origin.generation != "unknown PyTorch");
  REQUIRE(snapshot.end.blocks.size() == 1);
  CHECK(snapshot.end.blocks[0].requested_bytes == 1000);
  CHECK(snapshot.end.segments[0].pool == PoolId{0, 1});
  CHECK(snapshot.frames.name(snapshot.frames.stack(snapshot.end.blocks[0].stack)[0]) == "main");
  CHECK(snapshot.traces[DeviceId{0}].size() == 1);
}

TEST_CASE("half of a surrogate pair is U+FFFD, in JSON as in a pickle") {
  const auto name_in = [](const std::string& json_text) {
    const Recording snapshot = read_snapshot(
        R"({"segments": [{"address": 4096, "total_size": 512, "blocks": [{"size": 512, "state": "active_allocated",
        "frames": [{"name": ")" +
        json_text + R"(", "filename": "a.py", "line": 1}]}]}]})");
    return std::string(snapshot.frames.name(snapshot.frames.stack(snapshot.end.blocks[0].stack)[0]));
  };
  SnapshotBuilder builder;
  builder.segment(0x1000, 512).active(512, 512, {"a.py:1:a\xED\xA0\x80z"});
  const Recording pickled = read_snapshot(builder.pickle());
  CHECK(pickled.frames.name(pickled.frames.stack(pickled.end.blocks[0].stack)[0]) == "a\uFFFDz");
  CHECK(name_in("a\\ud800z") == "a\uFFFDz");
  CHECK(name_in("a\\uDC00z") == "a\uFFFDz");
  CHECK(name_in("a\\ud800\\ud83d\\ude00") == "a\uFFFD\U0001F600");
  CHECK(name_in("a\\ud83d\\ud83d\\ude00z\\udc00") == "a\uFFFD\U0001F600z\uFFFD");
  CHECK(name_in("caf\\u00e9 \\uff21") == "caf\u00E9 \uFF21"); // no surrogates
  CHECK(name_in("\\\\ud800") == "\\ud800");
  CHECK_THROWS_AS(static_cast<void>(name_in("\\ud8")), ParseError);
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
