#include "memviz/trace.hpp"

#include "memviz/error.hpp"
#include "support/traced.hpp"

#include <doctest/doctest.h>

namespace memviz {

using nlohmann::json;
using test::mark;
using test::objects;
using test::reuse;
using test::SnapshotBuilder;
using test::traced_event;

namespace {

std::vector<std::uint64_t> indices_of(const std::vector<json>& lines) {
  std::vector<std::uint64_t> indices;
  for (const json& line : lines)
    if (line["kind"] == "event") indices.push_back(line["event"]);
  return indices;
}

using Indices = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("filters leave out what they say, and names and lifetimes stay those of the whole trace") {
  TraceOptions options;
  SUBCASE("action") {
    options.filter.actions = {Action::free_completed};
    CHECK(indices_of(objects(reuse(), options)) == Indices{0, 4, 7});
    CHECK(objects(reuse(), options)[1]["name"] == "b1000_1");
    CHECK(objects(reuse(), options)[1]["lived_us"] == 25);
  }
  SUBCASE("an address inside an allocation") {
    options.filter.address = TraceAddress{0x1000 + 250, {}};
    CHECK(indices_of(objects(reuse(), options)) == Indices{5, 6, 7});
  }
  SUBCASE("a name") {
    options.filter.address = TraceAddress{0x1000, TraceAddress::Name{1, false}};
    CHECK(indices_of(objects(reuse(), options)) == Indices{1, 3, 4});
    options.filter.address = TraceAddress{0x1000, TraceAddress::Name{1, true}};
    CHECK(objects(reuse(), options).empty());
  }
  SUBCASE("size") {
    options.filter.min_bytes = 201;
    CHECK(indices_of(objects(reuse(), options)) == Indices{5, 6, 7});
  }
  SUBCASE("events, both ends included") {
    options.filter.range[DeviceId{0}] = {EventIndex(2), EventIndex(4), {}, {}};
    CHECK(indices_of(objects(reuse(), options)) == Indices{2, 3, 4});
  }
  SUBCASE("times") {
    options.filter.range[DeviceId{0}] = {EventIndex(0), EventIndex(100), 25, 45};
    CHECK(indices_of(objects(reuse(), options)) == Indices{2, 3, 4});
  }
  SUBCASE("stream and device") {
    options.filter.stream = 7;
    CHECK(objects(reuse(), options).empty());
    options.filter.stream = 0;
    CHECK(objects(reuse(), options).size() == 8);
    options.filter.device = DeviceId{1};
    CHECK(objects(reuse(), options).empty());
  }
  SUBCASE("stack") {
    SnapshotBuilder builder;
    builder.alloc(0x1000, 1, {"a.py:1:one"}).alloc(0x2000, 1, {"b.py:2:two", "a.py:9:main"}).alloc(0x3000, 1);
    options.filter.stack = "two|three";
    CHECK(indices_of(objects(builder.pickle(), options)) == Indices{1});
    options.filter.stack = "(";
    CHECK_THROWS_AS(static_cast<void>(objects(builder.pickle(), options)), UsageError);
  }
}

TEST_CASE("annotations are among the events by time, and in the range asked for") {
  SnapshotBuilder builder;
  builder.event(traced_event("alloc", 0x1000, 1, 10))
      .event(traced_event("alloc", 0x2000, 1, 20))
      .event(traced_event("alloc", 0x3000, 1, 30));
  builder.set("external_annotations", test::list({mark("late", "START", 99), mark("step", "START", 20),
                                                  mark("step", "END", 25), mark("early", "START", 1)}));
  const std::string bytes = builder.pickle();
  const auto order = [](const std::vector<json>& lines) {
    std::string text;
    for (const json& line : lines)
      text += line["kind"] == "event" ? std::to_string(line["event"].get<int>()) + " "
                                      : line["name"].get<std::string>() + ":" + line["stage"].get<std::string>() + " ";
    return text;
  };
  CHECK(order(objects(bytes)) == "early:START 0 step:START 1 step:END 2 late:START ");
  TraceOptions options;
  options.filter.range[DeviceId{0}] = {EventIndex(1), EventIndex(1), {}, {}};
  CHECK(order(objects(bytes, options)) == "1 ");
  options.filter.range[DeviceId{0}] = {EventIndex(0), EventIndex(100), 20, 30};
  CHECK(order(objects(bytes, options)) == "step:START 1 step:END 2 ");
  options.filter = {};
  options.filter.annotations = false;
  CHECK(order(objects(bytes, options)) == "0 1 2 ");
}

TEST_CASE("the pool of an old file is that of the segments at the end, for what did not change until then") {
  SnapshotBuilder builder;
  builder.segment(0x200000, 2097152)
      .active(512, 512)
      .inactive(2097152 - 512)
      .set("segment_pool_id", test::tuple({0, 3}));
  builder.alloc(0x200000, 512).event("segment_free", 0x200000, 2097152).event("segment_alloc", 0x200000, 2097152);
  builder.alloc(0x200000, 512).alloc(0x900000, 512);
  const auto lines = objects(builder.pickle());
  CHECK(!lines[0].contains("pool"));
  CHECK(!lines[1].contains("pool"));
  CHECK(lines[2]["pool"] == json{0, 3});
  CHECK(lines[3]["pool"] == json{0, 3});
  CHECK(!lines[4].contains("pool"));
}

} // namespace memviz
