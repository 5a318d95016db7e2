#include "engine/engine.hpp"

#include "support/page_engine.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;
using nlohmann::json;
using view::Engine;

namespace {

json event(Engine& engine, std::uint32_t number) {
  return answered_json(engine, {{"ask", "event"}, {"event", number}});
}

std::string innermost(const json& stack) {
  return stack.empty() ? "" : stack[0]["name"].get<std::string>() + ' ' + stack[0]["place"].get<std::string>();
}

} // namespace

TEST_CASE("the card of an allocation has its name, place, stack, and who freed it") {
  Engine engine;
  SnapshotBuilder snapshot;
  snapshot.segment(0x10000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0x10000, 300, {"train.py:7:load"}).alloc(0x10200, 500, {"model.py:1:forward"}).free(0x10000, 300);
  engine.add("a.pickle", input_of(snapshot.pickle()));
  const json events = answered_json(engine, {{"ask", "events"}})["rows"];
  REQUIRE(events.size() == 4);
  const json alloc = event(engine, 0);
  CHECK(alloc["action"] == "alloc");
  CHECK(alloc["address"] == "0x10000");
  CHECK(alloc["name"] == "b10000_0");
  CHECK(alloc["bytes"] == 300);
  CHECK(alloc["live_bytes"] == 300);
  CHECK(alloc["segment"] == json{{"address", "0x10000"}, {"bytes", 2 * MiB}});
  CHECK(innermost(alloc["stack"]) == "load train.py:7");
  CHECK(alloc["stack"][0]["origin"] == "user");
  CHECK(alloc["free_requested"]["event"] == 2);
  CHECK(alloc["freed"]["event"] == 3);
  CHECK_FALSE(alloc.contains("allocated"));
  CHECK(answered_json(engine, {{"ask", "life"}, {"life", alloc["life"]}})["name"] == "b10000_0");
  const json free = event(engine, 3);
  CHECK(free["action"] == "free_completed");
  CHECK(free["name"] == "b10000_0");
  CHECK(free["allocated"]["event"] == 0);
  CHECK(innermost(free["allocated"]["stack"]) == "load train.py:7");
  CHECK_FALSE(free.contains("freed"));
}

TEST_CASE("the card of an error has the request, the free bytes, and no address") {
  Engine engine;
  add_testdata(engine, "oom");
  const json overview = answered_json(engine, {{"ask", "overview"}});
  const json& mark = overview["devices"][0]["marks"].back();
  REQUIRE(mark["kind"] == "oom");
  const json card = event(engine, mark["state"].get<std::uint32_t>() - 1);
  CHECK(card["action"] == "oom");
  CHECK(card["bytes"] == mark["bytes"]);
  CHECK(card["free_bytes"] == mark["free_bytes"]);
  CHECK_FALSE(card.contains("address"));
  CHECK_FALSE(card.contains("life"));
  CHECK(card["stack"].size() > 1);
}

TEST_CASE("every event of a file has a card that agrees with the list") {
  for (const std::string name : {"oom", "devices_streams", "expandable", "gen_2.15_host", "unpaired_events"}) {
    CAPTURE(name);
    Engine engine;
    add_testdata(engine, name);
    const json answer = answered_json(engine, {{"ask", "events"}, {"count", 1000}});
    for (const json& row : answer["rows"]) {
      const json card = event(engine, row["event"]);
      CAPTURE(row.dump());
      CHECK(card["action"] == row["action"]);
      CHECK(card["bytes"] == row["bytes"]);
      CHECK(card["stream"] == row["stream"]);
      if (card.contains("address")) CHECK(card["address"] == row["address"]);
      if (!card.contains("life")) continue;
      const json life = answered_json(engine, {{"ask", "life"}, {"life", card["life"]}});
      CHECK(life["name"] == card["name"]);
      if (card["action"] == "alloc") CHECK(life["first"] == card["event"].get<int>() + 1);
      if (card["action"] == "free_completed") CHECK(life["last"] == card["event"].get<int>() + 1);
      if (card.contains("allocated")) CHECK(life["first"] == card["allocated"]["event"].get<int>() + 1);
      if (card.contains("freed")) CHECK(life["last"] == card["freed"]["event"].get<int>() + 1);
    }
  }
}

TEST_CASE("a recording without events has no card") {
  Engine engine;
  add_testdata(engine, "segments_only");
  CHECK(answered(engine, {{"ask", "event"}}) == "null");
}

TEST_CASE("a range has what was allocated, freed and left in it") {
  Engine engine;
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0x1000, 300, {"a.py:1:f"}).alloc(0x2000, 500, {"a.py:2:g"}).free(0x1000, 300);
  engine.add("a.pickle", input_of(snapshot.pickle()));
  const auto range = [&](std::uint32_t first, std::uint32_t last) {
    return answered_json(engine, {{"ask", "range"}, {"first", first}, {"last", last}});
  };
  const json all = range(0, 4);
  CHECK(all["allocated"] == json{{"bytes", 800}, {"count", 2}});
  CHECK(all["freed"] == json{{"bytes", 300}, {"count", 1}});
  CHECK(all["left"] == json{{"bytes", 500}, {"count", 1}});
  CHECK(range(1, 2)["allocated"]["bytes"] == 500);
  CHECK(range(3, 3)["allocated"]["count"] == 0);
}

TEST_CASE("bytes of a range explain the change of live bytes") {
  for (const std::string name : {"training_step", "oom", "devices_streams"}) {
    CAPTURE(name);
    Engine engine;
    add_testdata(engine, name);
    const json range = answered_json(engine, {{"ask", "range"}, {"first", 20}, {"last", 70}});
    CHECK(range["before_bytes"].get<std::int64_t>() + range["allocated"]["bytes"].get<std::int64_t>() -
              range["freed"]["bytes"].get<std::int64_t>() ==
          range["after_bytes"].get<std::int64_t>());
  }
}

TEST_CASE("a moment has the headline of its picture") {
  Engine engine;
  add_testdata(engine, "devices_streams");
  const json first = answered_json(engine, {{"ask", "headline"}, {"device", 0}, {"at", "event:3"}});
  const json other = answered_json(engine, {{"ask", "headline"}, {"device", 2}, {"at", "end"}});
  CHECK(first["headline"] != other["headline"]);
  CHECK(other["headline"].get<std::string>().find("GPU 2") != std::string::npos);
}

TEST_CASE("a moment of one device is the same time on another") {
  const auto event = [](int time_us, std::uint64_t address) {
    return json{{"action", "alloc"}, {"addr", address},    {"size", 512},
                {"stream", 0},       {"time_us", time_us}, {"frames", json::array()}};
  };
  const json first = {event(10, 4096), event(30, 8192), event(90, 12288)};
  const json second = {event(20, 4096), event(40, 8192), event(41, 12288)};
  const json file = {{"segments", json::array()}, {"device_traces", {first, second}}};
  Engine engine;
  engine.add("a.json", input_of(file.dump()));
  const auto same = [&](std::uint32_t state) {
    const json request = {{"ask", "same_time"}, {"device", 1}, {"of_device", 0}, {"state", state}};
    return answered_json(engine, request)["state"];
  };
  CHECK(same(2) == 1);
  CHECK(same(0).is_null());
  CHECK(same(1).is_null()); // before the first event of the other
  CHECK(same(3).is_null());
  const json back = {{"ask", "same_time"}, {"device", 0}, {"of_device", 1}, {"state", 2}};
  CHECK(answered_json(engine, back)["state"] == 2);
}
