#include "engine/engine.hpp"

#include "memviz/error.hpp"
#include "support/page_engine.hpp"
#include "support/snapshot_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;
using nlohmann::json;
using view::Engine;

namespace {

/// Events 0 to 4: load, forward, the two of load's free, and load at the same address again.
void add_snapshot(Engine& engine) {
  SnapshotBuilder snapshot;
  snapshot.segment(0x41f4da5000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0x41f4da5000, 300, {"train.py:7:load"}).alloc(0x41f4db0000, 5000, {"models.py:174:forward"});
  snapshot.free(0x41f4da5000, 300).alloc(0x41f4da5000, 200, {"train.py:8:load"});
  engine.add("a.pickle", input_of(snapshot.pickle()));
}

json hits(Engine& engine, const std::string& text, std::uint32_t state = 0) {
  static_cast<void>(answered(engine, {{"ask", "find"}, {"text", text}}));
  return answered_json(engine, {{"ask", "hits"}, {"state", state}});
}

/// Returns all moments at which a text is found, by going from one to the next.
std::vector<int> moments(Engine& engine, const std::string& text) {
  json found = hits(engine, text);
  std::vector<int> states;
  if (found["is_here"] == true) states.push_back(0);
  while (found.contains("next")) {
    states.push_back(found["next"]);
    found = answered_json(engine, {{"ask", "hits"}, {"state", states.back()}});
  }
  CHECK(found["all"] == states.size());
  return states;
}

} // namespace

TEST_CASE("a search finds what is not live at the playhead") {
  Engine engine;
  add_snapshot(engine);
  const json found = hits(engine, "models.py:174");
  CHECK(found["all"] == 1);
  CHECK(found["until"] == 0);
  CHECK(found["bytes"] == 0);
  CHECK(found["next"] == 2);
  CHECK(found["allocations"] == 1);
  CHECK(found["most_bytes"] == 5000);
  CHECK(found["most_state"] == 2);
  const json after = hits(engine, "models.py:174", 5);
  CHECK(after["until"] == 1);
  CHECK(after["bytes"] == 5000);
  CHECK(after["previous"] == 2);
  CHECK_FALSE(after.contains("next"));
}

TEST_CASE("nonsense is found nowhere") {
  Engine engine;
  add_snapshot(engine);
  const json found = hits(engine, "models.py:999");
  CHECK(found["all"] == 0);
  CHECK(found["allocations"] == 0);
  CHECK(found["others"].empty());
  CHECK_FALSE(found.contains("next"));
  CHECK(hits(engine, "")["all"] == 0);
}

TEST_CASE("an address is found with or without 0x, by its first digits, and within an allocation") {
  Engine engine;
  add_snapshot(engine);
  for (const std::string text : {"41f4da5", "0x41f4da5", "b41f4da5", "41F4DA5000", "0x41f4da5000"}) {
    CAPTURE(text);
    CHECK(moments(engine, text) == std::vector{1, 3, 4, 5});
  }
  CHECK(moments(engine, "0x41f4db0010") == std::vector{2});
  CHECK(moments(engine, "1f4da5").empty());
  CHECK(moments(engine, "0x41f4da50001").empty());
}

TEST_CASE("the name of an allocation finds only its own events") {
  Engine engine;
  add_snapshot(engine);
  CHECK(moments(engine, "b41f4da5000_0") == std::vector{1, 3, 4});
  CHECK(moments(engine, "b41f4da5000_1") == std::vector{5});
  CHECK(moments(engine, "b41f4da5000_2").empty());
}

TEST_CASE("a word of letters is not an address") {
  Engine engine;
  SnapshotBuilder snapshot;
  snapshot.segment(0xadd000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0xadd000, 300, {"math.py:7:add"});
  engine.add("a.pickle", input_of(snapshot.pickle()));
  CHECK(moments(engine, "add") == std::vector{1});
  CHECK(moments(engine, "0xadd") == std::vector{1});
}

TEST_CASE("an expression is matched against lines") {
  Engine engine;
  add_snapshot(engine);
  CHECK(moments(engine, "/load .*py:[78]/") == std::vector{1, 5});
  CHECK(moments(engine, "LOAD") == std::vector{1, 5});
  CHECK_THROWS_AS(static_cast<void>(hits(engine, "/(/")), UsageError);
}

TEST_CASE("annotations and metadata are found") {
  Engine engine;
  add_testdata(engine, "gen_2.5_annotations");
  const json overview = answered_json(engine, {{"ask", "overview"}});
  const json& span = overview["devices"][0]["annotations"][0];
  const std::vector<int> found = moments(engine, span["name"]);
  CHECK(std::find(found.begin(), found.end(), span["first"].get<int>()) != found.end());
}

TEST_CASE("the curve of what is found has its bytes at every moment, and as many moments as there are") {
  for (const std::string name : {"training_step", "oom", "devices_streams"}) {
    CAPTURE(name);
    Engine engine;
    add_testdata(engine, name);
    const json all = hits(engine, "py");
    const json overview = answered_json(engine, {{"ask", "overview"}});
    const json& device = overview["devices"][0];
    const auto events = device["events"].get<std::size_t>();
    const json request = {{"ask", "found_curve"}, {"columns", events + 1}};
    const std::vector<double> columns = doubles_of(answered(engine, request));
    REQUIRE(columns.size() == 2 * (events + 1));
    double marks = 0;
    for (std::size_t i = 1; i < columns.size(); i += 2)
      marks += columns[i];
    CHECK(marks == all["all"]);
    double most = 0;
    for (std::size_t state = 0; state <= events; state += 7) {
      const std::vector<double> live = doubles_of(answered(engine, {{"ask", "live"}, {"state", state}}), 6);
      CHECK(answered_json(engine, {{"ask", "hits"}, {"state", state}})["bytes"] == live[3]);
      most = std::max(most, live[3]);
    }
    CHECK(*std::max_element(columns.begin(), columns.end()) >= most);
    CHECK(all["most_bytes"] >= most);
  }
}

TEST_CASE("a few columns have the highest bytes of what is found") {
  Engine engine;
  add_snapshot(engine);
  static_cast<void>(hits(engine, "load"));
  const auto columns = [&](std::size_t count) {
    return doubles_of(answered(engine, {{"ask", "found_curve"}, {"columns", count}}));
  };
  CHECK(columns(1) == std::vector<double>{300, 2});
  // States 0 to 5: 0, 300, 300, 300, 0, 200, of which the last two are in one column.
  CHECK(columns(5) == std::vector<double>{0, 0, 300, 1, 300, 0, 300, 0, 200, 1});
}
