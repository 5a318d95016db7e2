#include "engine/engine.hpp"

#include "support/page_engine.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace memviz;
using namespace memviz::test;
using nlohmann::json;

namespace {

/// Four allocations: two of one line by two ways, one of another line of the same function, one without a stack.
std::string four_allocations() {
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000, 2 * MiB).inactive(2 * MiB);
  snapshot.alloc(0x1000, 100, {"model.py:7:forward", "train.py:1:step"});
  snapshot.alloc(0x2000, 100, {"model.py:7:forward", "train.py:2:check"});
  snapshot.alloc(0x3000, 100, {"model.py:9:forward", "train.py:1:step"});
  snapshot.alloc(0x4000, 100);
  return snapshot.pickle();
}

/// The answer as bits, the first allocation last.
int lit(view::Engine& engine, json request) {
  request["ask"] = "lit";
  const std::string bits = answered(engine, request);
  REQUIRE(bits.size() == 1);
  return bits[0];
}

} // namespace

TEST_CASE("what a page shows in one part is lit in all others") {
  view::Engine engine;
  engine.add("a.pickle", input_of(four_allocations()));
  CHECK(lit(engine, {{"of", "line"}, {"name", "forward"}, {"place", "model.py:7"}}) == 0b0011);
  CHECK(lit(engine, {{"of", "line"}, {"name", "forward model.py:9"}}) == 0b0100);
  CHECK(lit(engine, {{"of", "frame"}, {"name", "step train.py:1"}}) == 0b0101);
  CHECK(lit(engine, {{"of", "stack"}, {"frames", "step train.py:1"}}) == 0b0101);
  CHECK(lit(engine, {{"of", "stack"}, {"frames", "step train.py:1\nforward model.py:7"}}) == 0b0001);
  CHECK(lit(engine, {{"of", "stack"}, {"frames", "step train.py:1\nforward model.py:7\nmore"}}) == 0);
  CHECK(lit(engine, {{"of", "stack"}, {"frames", "forward model.py:7"}}) == 0);
  CHECK(lit(engine, {{"of", "kind"}, {"name", "no such kind"}}) == 0);
  CHECK(lit(engine, {{"of", "everything"}}) == 0);
  const json rows = answered_json(engine, {{"ask", "lines"}, {"by", "function"}})["rows"];
  for (const json& row : rows)
    if (row["name"] == "forward") CHECK(lit(engine, {{"of", "function"}, {"frame", row["frame"]}}) == 0b0111);
}

TEST_CASE("a box of a stream lights the allocations of that stream") {
  SnapshotBuilder snapshot;
  const auto live = [&](std::uint64_t address, std::int64_t stream) {
    snapshot.segment(address, 2 * MiB, 0, stream).active(2 * MiB, 2 * MiB, {"train.py:1:step"});
  };
  live(0x200000, 0);
  live(0x400000, 7);
  view::Engine engine;
  engine.add("a.pickle", input_of(snapshot.pickle()));
  const int whole = lit(engine, {{"of", "stack"}, {"frames", "step train.py:1"}});
  const int first = lit(engine, {{"of", "stack"}, {"frames", "step train.py:1"}, {"stream", "0"}});
  const int second = lit(engine, {{"of", "frame"}, {"name", "step train.py:1"}, {"stream", "7"}});
  CHECK(whole == 0b11);
  CHECK((first | second) == whole);
  CHECK((first & second) == 0);
  CHECK(first != 0);
  CHECK(second != 0);
  CHECK(lit(engine, {{"of", "stack"}, {"frames", "step train.py:1"}, {"stream", "8"}}) == 0);
}

TEST_CASE("each allocation is lit by its own class, and no other") {
  view::Engine engine;
  engine.add("a.pickle", input_of(four_allocations()));
  for (const std::string by : {"line", "kind", "origin"}) {
    int all = 0;
    const std::size_t classes = answered_json(engine, {{"ask", "classes"}, {"by", by}}).size();
    for (std::size_t own = 0; own < classes; ++own) {
      const int bits = lit(engine, {{"of", "class"}, {"by", by}, {"class", own}});
      CHECK((all & bits) == 0);
      all |= bits;
    }
    CHECK(all == 0b1111);
  }
}
