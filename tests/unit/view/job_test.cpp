#include "engine/engine.hpp"
#include "memviz/error.hpp"
#include "support/contains.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string rank_with(std::uint64_t bytes) {
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000, bytes).active(bytes, bytes);
  return snapshot.pickle();
}

} // namespace

TEST_CASE("of the files of a job the engine has the answers about ranks, until another job begins") {
  view::Engine engine;
  CHECK(engine.add_to_job("job/rank0.pickle", input_of(rank_with(1 << 20))) == R"(["job/rank0.pickle"])");
  CHECK(engine.add_to_job("job/rank1.pickle", input_of(rank_with(2 << 20))) == R"(["job/rank1.pickle"])");
  CHECK(engine.add_to_job("job/rank2.pickle", input_of("no snapshot")) == R"(["job/rank2.pickle"])");
  const std::string answer = engine.answer(R"({"ask": "ranks"})");
  CHECK(contains(answer, "job/rank1.pickle"));
  CHECK(contains(answer, "1 of 3 files could not be read"));
  CHECK_THROWS_AS(static_cast<void>(engine.answer(R"({"ask": "overview", "file": 0})")), UsageError);
  static_cast<void>(engine.answer(R"({"ask": "new_job"})"));
  CHECK_THROWS_AS(static_cast<void>(engine.answer(R"({"ask": "ranks"})")), UsageError);
}
