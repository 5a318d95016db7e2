#include "memviz/replay.hpp"
#include "memviz/warnings.hpp"
#include "story/skipped_actions.hpp"
#include "support/contains.hpp"
#include "support/rewound.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string warnings_at(const SnapshotBuilder& builder, std::int64_t event) {
  return fmt::format("{}", fmt::join(warnings_of(rewound(builder, after_event(event))), "\n"));
}

} // namespace

TEST_CASE("an imbalance without any free names the frees that were skipped") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096).active(512, 500).inactive(3584);
  builder.alloc(0x1000, 500).alloc(0x1200, 512);
  CHECK(contains(warnings_of(replay(builder.read())).front(),
                 "recorded with skip_actions: no event is free_requested or free_completed"));
}

TEST_CASE("an imbalance of a recording that has frees says nothing of skip_actions") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096).active(512, 500).inactive(3584);
  builder.alloc(0x1000, 500).alloc(0x1200, 512).alloc(0x1400, 512).free(0x1400, 512);
  const auto warnings = warnings_of(replay(builder.read()));
  REQUIRE(warnings.size() == 1);
  CHECK(!contains(warnings.front(), "skip_actions"));
}

TEST_CASE("memory outside all segments names segment events where there are none") {
  SnapshotBuilder builder;
  builder.alloc(0x1000, 500).free(0x1000, 500);
  CHECK(contains(warnings_at(builder, 0), "no event is segment_alloc or segment_free or segment_map or segment_unmap"));
  builder.event("segment_alloc", 0x9000, 4096).event("segment_free", 0x9000, 4096);
  CHECK(!contains(warnings_at(builder, 0), "skip_actions"));
}

TEST_CASE("segments that were made and are not there name the event that would have taken them") {
  SnapshotBuilder builder;
  builder.event("segment_alloc", 0x1000, 4096).alloc(0x1000, 500).free(0x1000, 500);
  CHECK(contains(warnings_at(builder, -1), "no event is segment_free"));
}

TEST_CASE("only actions whose lack explains the figures are named") {
  const auto figures_with = [](std::initializer_list<Action> actions, std::int64_t imbalance_bytes) {
    DeviceFigures figures;
    figures.imbalance_bytes = imbalance_bytes;
    for (const Action action : actions)
      figures.actions |= 1U << static_cast<unsigned>(action);
    return figures;
  };
  const auto outside = [&](std::initializer_list<Action> actions, std::int64_t imbalance_bytes = 0) {
    return skipped_outside_text(figures_with(actions, imbalance_bytes));
  };
  using enum Action;
  CHECK(contains(outside({alloc}, 1), "no event is free_requested or free_completed"));
  CHECK(outside({alloc}, 0).empty());
  CHECK(outside({alloc}, -1).empty());
  CHECK(contains(outside({free_completed}, 1), "no event is alloc"));
  CHECK(contains(outside({alloc, free_completed}), "no event is segment_alloc or segment_free or segment_map"));
  CHECK(outside({alloc, free_completed, segment_map}).empty());
  CHECK(outside({alloc, free_completed}, 1).empty());
  const auto counterparts = [&](std::initializer_list<Action> actions) {
    return skipped_counterparts_text(figures_with(actions, 0));
  };
  CHECK(contains(counterparts({segment_alloc, segment_map}), "no event is segment_free or segment_unmap"));
  CHECK(contains(counterparts({segment_unmap}), "no event is segment_map"));
  CHECK(counterparts({segment_alloc, segment_free}).empty());
}
