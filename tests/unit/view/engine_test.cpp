#include "engine/engine.hpp"

#include "memviz/error.hpp"
#include "support/files.hpp"
#include "support/page_engine.hpp"
#include "support/page_questions.hpp"
#include "support/snapshot_builder.hpp"
#include "support/svg_check.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;
using nlohmann::json;
using view::Engine;

namespace {

/// Throws all but messages for the user.
std::string answer_or_message(Engine& engine, const std::string& request) {
  try {
    return engine.answer(request);
  } catch (const Error& error) {
    return error.what();
  }
}

std::uint64_t sum_of_rows(const json& rows) {
  std::uint64_t bytes = 0;
  for (const json& row : rows)
    bytes += row["bytes"].get<std::uint64_t>();
  return bytes;
}

} // namespace

TEST_CASE("without a file there is no answer") {
  Engine engine;
  for (const std::string_view ask : Engine::questions()) {
    if (ask == "new_job" || ask == "unread") continue; // which need none
    CAPTURE(ask);
    CHECK_THROWS_AS(static_cast<void>(answered(engine, {{"ask", ask}})), UsageError);
  }
  CHECK_THROWS_AS(engine.add("a.txt", input_of("no snapshot")), Error);
  CHECK_THROWS_AS(engine.add("a.txt", input_of("")), Error);
  CHECK_THROWS_AS(static_cast<void>(answered(engine, {{"ask", "overview"}})), UsageError);
}

TEST_CASE("a closed file has no answers, and the others keep their numbers") {
  Engine engine;
  add_testdata(engine, "oom");
  const std::size_t second = add_testdata(engine, "training_step");
  CHECK(answered(engine, {{"ask", "close"}, {"file", 0}}) == "null");
  CHECK_THROWS_AS(static_cast<void>(answered(engine, {{"ask", "overview"}, {"file", 0}})), UsageError);
  CHECK_THROWS_AS(static_cast<void>(answered(engine, {{"ask", "close"}, {"file", 0}})), UsageError);
  CHECK(answered_json(engine, {{"ask", "overview"}, {"file", second}})["file"] == "training_step");
  CHECK(add_testdata(engine, "oom") == 2);
}

TEST_CASE("questions that make no sense are refused") {
  Engine engine;
  add_testdata(engine, "devices_streams");
  const std::vector<json> requests = {
      json::object(),
      {{"ask", "all"}},
      {{"ask", 3}},
      {{"ask", "overview"}, {"file", 1}},
      {{"ask", "overview"}, {"file", "a"}},
      {{"ask", "curve"}, {"device", 77}},
      {{"ask", "curve"}, {"device", 4294967296}},
      {{"ask", "live"}, {"state", -1}},
      {{"ask", "live"}, {"state", 0.5}},
      {{"ask", "lines"}, {"by", 5}},
      {{"ask", "find"}, {"text", "/(/"}},
      {{"ask", "events"}, {"filter", "stream:all"}},
      {{"ask", "events"}, {"filter", std::string(50, ' ')}},
      {{"ask", "picture"}},
      {{"ask", "picture"}, {"of", "flame"}, {"device", 77}},
      {{"ask", "picture"}, {"of", "timeline"}, {"device", 77}},
      {{"ask", "picture"}, {"of", "flame"}, {"at", "yesterday"}},
      {{"ask", "picture"}, {"of", "flame"}, {"at", "event:99999999"}, {"device", 0}},
      {{"ask", "picture"}, {"of", "flame"}, {"color", "red"}},
      {{"ask", "picture"}, {"of", "flame"}, {"upward", "yes"}},
      {{"ask", "picture"}, {"of", "timeline"}, {"view", "all"}},
      {{"ask", "picture"}, {"of", "timeline"}, {"axis", "all"}},
      {{"ask", "compare"}, {"other", 2}},
      {{"ask", "text"}, {"of", "all"}},
  };
  for (const json& request : requests) {
    CAPTURE(request.dump());
    CHECK_THROWS_AS(static_cast<void>(answered(engine, request)), UsageError);
  }
}

TEST_CASE("every question of every file of testdata has an answer or a message") {
  for (const auto& path : files_in(testdata(), ".pickle")) {
    Engine engine;
    const std::string name = path.filename().string();
    CAPTURE(name);
    add_testdata(engine, name);
    for (const std::string& question : page_questions()) {
      CAPTURE(question);
      CHECK_NOTHROW(static_cast<void>(answer_or_message(engine, question)));
    }
  }
}

TEST_CASE("damaged files are opened, or refused with a message") {
  for (const auto& path : files_in(testdata() / "hostile", ".pickle")) {
    CAPTURE(path.string());
    Engine engine;
    try {
      engine.add("a.pickle", input_of(read_bytes(path.string())));
    } catch (const Error&) {
      continue;
    }
    for (const std::string& question : page_questions())
      CHECK_NOTHROW(static_cast<void>(answer_or_message(engine, question)));
  }
}

TEST_CASE("the first device is meant where none is named") {
  Engine engine;
  engine.add("host.pickle", input_of(SnapshotBuilder()
                                         .host_block(0x10000, 4096, true)
                                         .host_event("segment_alloc", 0x10000, 4096)
                                         .host_event("alloc", 0x10000, 4096)
                                         .pickle()));
  CHECK(doubles_of(answered(engine, {{"ask", "live"}}), 2) == std::vector<double>{4096, 1});
  CHECK(answered_json(engine, {{"ask", "events"}})["all"] == 2);
  CHECK_THROWS_AS(static_cast<void>(answered(engine, {{"ask", "live"}, {"device", 0}})), UsageError);
}

TEST_CASE("a recording without anything has an overview and no device") {
  Engine engine;
  add_testdata(engine, "empty");
  CHECK(answered_json(engine, {{"ask", "overview"}})["devices"].empty());
  CHECK_THROWS_AS(static_cast<void>(answered(engine, {{"ask", "live"}})), UsageError);
}

TEST_CASE("the overview has each device with its figures") {
  Engine engine;
  add_testdata(engine, "devices_streams");
  const json overview = answered_json(engine, {{"ask", "overview"}});
  const json stats = answered_json(engine, {{"ask", "text"}, {"of", "stats"}, {"at", "end"}});
  CHECK(overview["file"] == "devices_streams");
  REQUIRE(overview["devices"].size() == stats["devices"].size());
  for (std::size_t i = 0; i < stats["devices"].size(); ++i) {
    const json& device = overview["devices"][i];
    const json& figures = stats["devices"][i];
    CHECK(device["device"] == figures["device"]);
    CHECK(device["peak_bytes"] == figures["peak_requested_bytes"]);
    CHECK(device["reserved_bytes"] == figures["reserved_bytes"]);
    CHECK(device["baseline_bytes"] == figures["baseline_bytes"]);
    const json peak = {{"ask", "live"}, {"device", device["device"]}, {"state", device["peak_state"]}};
    CHECK(doubles_of(answered(engine, peak), 1).front() == device["peak_bytes"]);
  }
}

TEST_CASE("rows of tables add up to what lives") {
  for (const std::string name : {"training_step", "devices_streams", "oom", "gen_2.15_host"}) {
    CAPTURE(name);
    Engine engine;
    add_testdata(engine, name);
    const json overview = answered_json(engine, {{"ask", "overview"}});
    for (const json& device : overview["devices"]) {
      const auto events = device["events"].get<std::uint64_t>();
      for (const std::uint64_t state : {std::uint64_t{0}, events / 3, events / 2, events}) {
        const json where = {{"device", device["device"]}, {"state", state}};
        const auto asked = [&](json request) {
          request.update(where);
          return request;
        };
        const std::vector<double> live = doubles_of(answered(engine, asked({{"ask", "live"}, {"by", "kind"}})));
        double classes = 0;
        for (std::size_t i = 6; i < live.size(); ++i)
          classes += live[i];
        CHECK(classes == live[0]);
        for (const std::string by : {"line", "kind"}) {
          const json table = answered_json(engine, asked({{"ask", "lines"}, {"by", by}}));
          CHECK(table["bytes"] == live[0]);
          CHECK(sum_of_rows(table["rows"]) == table["bytes"]);
        }
        // Each allocation with frames has one innermost function.
        std::uint64_t self = 0;
        const json functions = answered_json(engine, asked({{"ask", "lines"}, {"by", "function"}}));
        for (const json& row : functions["rows"]) {
          self += row["self"].get<std::uint64_t>();
          CHECK(row["bytes"] <= live[0]);
          CHECK(row["self"] <= row["bytes"]);
        }
        CHECK(static_cast<double>(self) <= live[0]);
      }
    }
  }
}

TEST_CASE("what was born or freed in a range") {
  Engine engine;
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000, 2 * MiB).active(512, 500).active(1024, 1000).inactive(2 * MiB - 1536);
  snapshot.alloc(0x2000, 64, {"a.py:1:f"}).alloc(0x1000, 500, {"a.py:2:g"}).free(0x2000, 64);
  snapshot.alloc(0x3000, 128, {"a.py:3:h"}).free(0x3000, 128);
  engine.add("a.pickle", input_of(snapshot.pickle()));
  const auto bytes = [&](const std::string& of, std::uint32_t first, std::uint32_t last) {
    return answered_json(engine, {{"ask", "lines"}, {"of", of}, {"first", first}, {"last", last}})["bytes"];
  };
  CHECK(bytes("born", 0, 1) == 64);
  CHECK(bytes("born", 0, 2) == 564);
  CHECK(bytes("born", 0, 4) == 500); // 0x2000 is freed by then
  CHECK(bytes("freed", 0, 4) == 64);
  CHECK(bytes("freed", 4, 7) == 128);
  CHECK(bytes("born", 2, 2) == 0);
  CHECK(bytes("live", 0, 0) == 1500); // at the last state
}

TEST_CASE("an allocation in a cell, with its name, line and the other uses of its address") {
  Engine engine;
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000, 2 * MiB).active(512, 500, {"train.py:9:step"}).inactive(2 * MiB - 512);
  snapshot.alloc(0x1000, 300, {"train.py:7:load"}).free(0x1000, 300).alloc(0x1000, 500, {"train.py:9:step"});
  engine.add("a.pickle", input_of(snapshot.pickle()));
  CHECK(answered(engine, {{"ask", "cell"}, {"cell", 0}}) == "null");
  const std::string live = answered(engine, {{"ask", "live"}, {"cells", 10}, {"cell_bytes", 100}});
  CHECK(live.substr(live.size() - 10) == std::string("\1\1\1\1\1\0\0\0\0\0", 10));
  const json life = answered_json(engine, {{"ask", "cell"}, {"cell", 4}});
  CHECK(life["name"] == "b1000_1");
  CHECK(life["bytes"] == 500);
  CHECK(life["is_freed"] == false);
  CHECK(life["first"] == 4);
  CHECK(life["line"].get<std::string>().find("train.py:9") != std::string::npos);
  REQUIRE(life["others"].size() == 2);
  CHECK(life["others"][0]["name"] == "b1000_0");
  CHECK(life["stack"][0]["own"] == true);
  CHECK(answered(engine, {{"ask", "cell"}, {"cell", 5}}) == "null");
  CHECK(answered_json(engine, {{"ask", "cell"}, {"name", "b1000_0"}})["bytes"] == 300);
  CHECK(answered(engine, {{"ask", "cell"}, {"name", "b1000_2"}}) == "null");
  CHECK(answered_json(engine, {{"ask", "life"}, {"life", life["life"]}}) == life);
}

TEST_CASE("events, filtered by action, size, stream, address and text") {
  Engine engine;
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0x1000, 300, {"train.py:7:load"}).free(0x1000, 300).alloc(0x2000, 5000, {"model.py:1:forward"});
  engine.add("a.pickle", input_of(snapshot.pickle()));
  const auto left = [&](const std::string& filter) {
    std::vector<int> events;
    const json answer = answered_json(engine, {{"ask", "events"}, {"filter", filter}});
    for (const json& row : answer["rows"])
      events.push_back(row["event"]);
    return events;
  };
  CHECK(left("") == std::vector{0, 1, 2, 3});
  CHECK(left("alloc") == std::vector{0, 3});
  CHECK(left("free") == std::vector{1, 2});
  CHECK(left(">1KiB") == std::vector{3});
  CHECK(left("stream:0").size() == 4);
  CHECK(left("stream:1").empty());
  CHECK(left("0x1000") == std::vector{0, 1, 2});
  CHECK(left("forward") == std::vector{3});
  CHECK(left("alloc load") == std::vector{0});
  CHECK(left("alloc nowhere").empty());
  const json rest = answered_json(engine, {{"ask", "events"}, {"from", 3}, {"count", 100}, {"state", 2}});
  CHECK(rest["all"] == 4);
  CHECK(rest["place"] == 1);
  CHECK(rest["rows"].size() == 1);
}

TEST_CASE("a search counts what it finds at the moment") {
  Engine engine;
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0x1000, 300, {"train.py:7:load"}).alloc(0x2000, 5000, {"model.py:1:forward"}).free(0x1000, 300);
  engine.add("a.pickle", input_of(snapshot.pickle()));
  const auto found_at = [&](const std::string& text, std::uint32_t state) {
    static_cast<void>(answered(engine, {{"ask", "find"}, {"text", text}}));
    const std::vector<double> live = doubles_of(answered(engine, {{"ask", "live"}, {"state", state}}), 6);
    return std::vector<double>{live[3], live[4]};
  };
  CHECK(found_at("LOAD", 1) == std::vector<double>{300, 1});
  CHECK(found_at("load", 4) == std::vector<double>{0, 0});
  CHECK(found_at("/^for.*model/", 2) == std::vector<double>{5000, 1});
  CHECK(found_at("0x2000", 2) == std::vector<double>{5000, 1});
  CHECK(found_at("b2000_0", 2) == std::vector<double>{5000, 1});
  CHECK(found_at("b2000_1", 2) == std::vector<double>{0, 0});
  CHECK(found_at("", 2) == std::vector<double>{0, 0});
}

TEST_CASE("pictures of a moment, of a range and of what changed") {
  Engine engine;
  add_testdata(engine, "before");
  add_testdata(engine, "after");
  for (const std::string of : {"flame", "state", "explain", "timeline"}) {
    CAPTURE(of);
    static_cast<void>(parse_svg(answered(engine, {{"ask", "picture"}, {"of", of}})));
  }
  static_cast<void>(parse_svg(answered(engine, {{"ask", "compare"}, {"other", 1}})));
  static_cast<void>(parse_svg(answered(engine, {{"ask", "compare"}, {"before", "start"}, {"after", "end"}})));
}
