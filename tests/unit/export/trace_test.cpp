#include "memviz/trace.hpp"

#include "support/traced.hpp"

#include <doctest/doctest.h>

namespace memviz {

using nlohmann::json;
using test::dict;
using test::logged;
using test::objects;
using test::reuse;
using test::SnapshotBuilder;
using test::traced_event;

namespace {

/// Annotations of a live allocation, of one that was freed and allocated again, and of an unknown address.
std::string annotated() {
  SnapshotBuilder builder;
  const auto annotate = [&](std::uint64_t address, const char* text, std::int64_t time_us) {
    builder.event(dict({{"action", "annotate"},
                        {"addr", address},
                        {"size", 200},
                        {"stream", 0},
                        {"time_us", time_us},
                        {"user_metadata", text}}));
  };
  builder.event(traced_event("alloc", 0x1000, 200, 10));
  annotate(0x1000, "the weights", 20);
  builder.event(traced_event("free_requested", 0x1000, 200, 30));
  builder.event(traced_event("free_completed", 0x1000, 200, 30));
  builder.event(dict({{"action", "alloc"},
                      {"addr", 0x1000},
                      {"size", 300},
                      {"stream", 0},
                      {"time_us", 40},
                      {"internal_metadata", "a tag"},
                      {"frames", test::frames_of({"/app/train.py:12:step"})},
                      {"forward_frames", test::list({"layers.py:58 forward"})}}));
  annotate(0x1000, "a page", 50);
  annotate(0x9000, "unknown", 60);
  return builder.pickle();
}

std::vector<std::string> names_of(const std::vector<json>& lines) {
  std::vector<std::string> names;
  for (const json& line : lines)
    names.push_back(line.value("name", ""));
  return names;
}

/// One annotation of 1,000 texts of 2,000 bytes, and one event whose stack has 1,000 names of 2,000 bytes.
std::string long_lines() {
  SnapshotBuilder builder;
  const std::string text(2000, 'x');
  builder.event(dict({{"action", "alloc"},
                      {"addr", 0x1000},
                      {"size", 200},
                      {"stream", 0},
                      {"time_us", 10},
                      {"frames", test::frames_of(std::vector<std::string>(1000, "/app/train.py:12:" + text))}}));
  test::PythonValue annotation = test::mark("step", "START", 20);
  for (int i = 0; i < 1000; ++i)
    annotation.set(std::to_string(i), text);
  builder.set("external_annotations", test::list({annotation}));
  return builder.pickle();
}

} // namespace

TEST_CASE("an annotation names the allocation that it is of, and ends nothing") {
  TraceOptions options;
  options.filter.actions = {Action::annotate};
  const std::vector<json> lines = objects(annotated(), options);
  CHECK(names_of(lines) == std::vector<std::string>{"b1000_0", "b1000_1", "b9000_0"});
  CHECK(lines[0]["user_metadata"] == "the weights");
  CHECK(lines[0]["began_event"] == 0);
  CHECK(lines[1]["began_event"] == 4);
  CHECK_FALSE(lines[0].contains("lived_events"));
  CHECK_FALSE(lines[2].contains("began_event"));
  const std::string text = logged(annotated(), options).text;
  CHECK(text.find("annotate        b1000_0") != std::string::npos);
  CHECK(text.find("[since event 0; the weights]") != std::string::npos);
  CHECK(names_of(objects(annotated())) ==
        std::vector<std::string>{"b1000_0", "b1000_0", "b1000_0", "b1000_0", "b1000_1", "b1000_1", "b9000_0"});
}

TEST_CASE("what PyTorch itself says of an allocation is shown, and where its backward pass comes from") {
  TraceOptions options;
  options.stacks = true;
  const std::vector<json> lines = objects(annotated(), options);
  CHECK(lines[4]["internal_metadata"] == "a tag");
  CHECK(lines[4]["forward_frames"] == json::array({"layers.py:58 forward"}));
  CHECK_FALSE(lines[0].contains("forward_frames"));
  const std::string text = logged(annotated(), options).text;
  CHECK(text.find("[a tag]\n        /app/train.py:12: step\n        forward: layers.py:58 forward\n") !=
        std::string::npos);
}

TEST_CASE("an allocation is named by its address and how often that address was used before") {
  CHECK(names_of(objects(reuse())) == std::vector<std::string>{"b1000_0", "b1000_1", "b9000_0", "b1000_1", "b1000_1",
                                                               "b1000_2", "b1000_2", "b1000_2"});
}

TEST_CASE("a free says when its allocation began, how long it lived, and how long it waited") {
  const auto lines = objects(reuse());
  CHECK(!lines[0].contains("began_event"));
  CHECK(lines[4]["began_event"] == 1);
  CHECK(lines[4]["lived_events"] == 3);
  CHECK(lines[4]["lived_us"] == 25);
  CHECK(lines[4]["pending_events"] == 1);
  CHECK(lines[4]["pending_us"] == 15);
  CHECK(lines[3]["lived_us"] == 10);
  CHECK(!lines[3].contains("pending_events"));
}

TEST_CASE("an alloc where something lives is the next use of the address") {
  SnapshotBuilder builder;
  builder.alloc(0x1000, 1).alloc(0x1000, 2).free(0x1000, 2);
  CHECK(names_of(objects(builder.pickle())) == std::vector<std::string>{"b1000_0", "b1000_1", "b1000_1", "b1000_1"});
  CHECK(objects(builder.pickle())[2]["began_event"] == 1);
}

TEST_CASE("a line of megabytes is written in pieces, and none of it is lost") {
  constexpr std::size_t kMostPieceBytes = 100'000;
  TraceOptions options;
  options.stacks = true;
  options.format = TraceFormat::ndjson;
  const test::Logged written = logged(long_lines(), options);
  CHECK(written.longest_piece < kMostPieceBytes);
  const std::vector<json> lines = objects(long_lines(), options);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["frames"].size() == 1000);
  CHECK(lines[0]["frames"][999]["name"].get<std::string>().size() == 2000);
  CHECK(lines[1]["metadata"].size() == 1000);
  CHECK(lines[1]["metadata"]["999"].get<std::string>().size() == 2000);

  options.format = TraceFormat::text;
  const test::Logged text = logged(long_lines(), options);
  CHECK(text.longest_piece < kMostPieceBytes);
  CHECK(text.text.size() > 2'000'000);
  CHECK(text.text.find("START  step  [0: xxx") != std::string::npos);
  CHECK(text.text.find("x; 999: xxx") != std::string::npos);
  CHECK(text.text.ends_with("x]\n"));
}

TEST_CASE("segments have their own names") {
  SnapshotBuilder builder;
  builder.event("segment_alloc", 0x200000, 2097152).alloc(0x200000, 8).free(0x200000, 8);
  builder.event("segment_free", 0x200000, 2097152).event("segment_alloc", 0x200000, 2097152);
  const auto lines = objects(builder.pickle());
  CHECK(lines[0]["name"] == "s200000_0");
  CHECK(lines[1]["name"] == "b200000_0");
  CHECK(lines[4]["name"] == "s200000_0");
  CHECK(lines[4]["lived_events"] == 4);
  CHECK(lines[5]["name"] == "s200000_1");
}

TEST_CASE("an out-of-memory error has no address, but what the device had left") {
  SnapshotBuilder builder;
  builder.event(dict({{"action", "oom"}, {"device_free", 4096}, {"size", 8192}, {"stream", 0}, {"time_us", 7}}));
  const auto lines = objects(builder.pickle());
  CHECK(lines.at(0)["device_free_bytes"] == 4096);
  CHECK(lines[0]["size_bytes"] == 8192);
  CHECK(!lines[0].contains("address"));
  CHECK(!lines[0].contains("name"));
}

} // namespace memviz
