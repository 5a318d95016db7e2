#include "analysis/explain/allocator_model.hpp"
#include "analysis/explain/cache_release.hpp"
#include "analysis/explain/unmapped_pages.hpp"
#include "support/explained.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>

// Pages that no state shows: each case was first found by rehearsal/tests/judge/.

using namespace memviz;
using memviz::test::MiB;

namespace {

constexpr std::uint64_t kRange = 0x7f0000000000;

} // namespace

TEST_CASE("UnmappedPages") {
  EventTable events;
  events.push(test::event_of(Action::segment_map, kRange, 100 * MiB));
  events.push(test::event_of(Action::segment_unmap, kRange, 40 * MiB));
  events.push(test::event_of(Action::segment_unmap, kRange + 40 * MiB, 40 * MiB));
  CHECK(UnmappedPages(events, 1).bytes_before(kRange + 40 * MiB) == 0);
  CHECK(UnmappedPages(events, 3).bytes_before(kRange + 80 * MiB) == 80 * MiB);
  SUBCASE("what is mapped again is none") {
    events.push(test::event_of(Action::segment_map, kRange + 20 * MiB, 20 * MiB));
    const UnmappedPages unmapped(events, events.size());
    CHECK(unmapped.bytes_before(kRange + 20 * MiB) == 20 * MiB);
    CHECK(unmapped.bytes_before(kRange + 80 * MiB) == 40 * MiB);
  }
  SUBCASE("nor what is unmapped wholly: its range is gone, and another's may be there") {
    events.push(test::event_of(Action::segment_unmap, kRange + 80 * MiB, 20 * MiB));
    events.push(test::event_of(Action::segment_map, kRange + 80 * MiB, 20 * MiB));
    CHECK(UnmappedPages(events, events.size()).bytes_before(kRange + 80 * MiB) == 0);
  }
  SUBCASE("in any order, neighbours are one") {
    EventTable downward;
    downward.push(test::event_of(Action::segment_map, kRange, 100 * MiB));
    downward.push(test::event_of(Action::segment_unmap, kRange + 40 * MiB, 40 * MiB));
    downward.push(test::event_of(Action::segment_unmap, kRange, 40 * MiB));
    CHECK(UnmappedPages(downward, 3).bytes_before(kRange + 80 * MiB) == 80 * MiB);
  }
  SUBCASE("the end of the address space is no trouble") {
    events.push(test::event_of(Action::segment_unmap, ~std::uint64_t{0} - MiB, 40 * MiB));
    CHECK(UnmappedPages(events, events.size()).bytes_before(~std::uint64_t{0}) == MiB);
  }
}

TEST_CASE("what is missing counts from where PyTorch looks first, which may be pages that were unmapped") {
  // 80 MiB before 40 in use are unmapped; after them 14 of 60 MiB are free. For 74 MiB the first place takes 80 MiB.
  test::SmallSnapshot made;
  made.setting("expandable_segments", "true");
  made.segment(kRange + 80 * MiB, 60 * MiB).active(46 * MiB, 46 * MiB).inactive(14 * MiB);
  made.event(Action::segment_map, kRange, 140 * MiB).event(Action::segment_unmap, kRange, 80 * MiB);
  made.event(Action::oom, 59 * MiB, 74 * MiB);
  Recording recording = made.take();
  recording.end.segments[0].is_expandable = true;
  const test::Explained found = test::explained(std::move(recording));
  CHECK(found.first().judgement.needed_bytes == 80 * MiB);
  CHECK(found.first().judgement.missing_bytes == 21 * MiB);
}

TEST_CASE("AllocatorModel adopts unmapped pages before a segment") {
  test::SmallSnapshot made;
  made.segment(kRange + 80 * MiB, 20 * MiB).active(20 * MiB, 20 * MiB);
  MemoryMap state = made.take().end;
  state.segments[0].is_expandable = true;
  AllocatorSettings settings;
  settings.expandable_segments = true;
  AllocatorModel model(settings);
  model.adopt(state.segments[0], state.blocks_of(state.segments[0]), {{}, 0, false}, 80 * MiB);
  const auto handle = model.alloc(60 * MiB, 0, {});
  REQUIRE(handle.has_value());
  CHECK(model.address(*handle) == kRange);
  CHECK(model.reserved_bytes() == 80 * MiB);
}

TEST_CASE("whether any set of blocks helps is unknown while a private pool may be unused") {
  test::SmallSnapshot made;
  made.segment(kRange, 20 * MiB).pool({1, 0}).active(6 * MiB, 6 * MiB).inactive(14 * MiB);
  made.event(Action::segment_alloc, kRange, 20 * MiB).event(Action::alloc, kRange, 6 * MiB);
  made.segment(kRange + 40 * MiB, 20 * MiB).active(20 * MiB, 20 * MiB); // of the request's pool
  made.event(Action::segment_alloc, kRange + 40 * MiB, 20 * MiB).event(Action::alloc, kRange + 40 * MiB, 20 * MiB);
  made.event(Action::oom, 216 * MiB, 250 * MiB);
  const test::Explained found = test::explained(made.take());
  const WhatIf& without = found.answer(Circumstance::without_blocks);
  CHECK(without.outcome == Outcome::not_offered);
  CHECK(without.proviso == Proviso::capture);
}

TEST_CASE("with max_split_size, in what may be a capture, more may be missing than the state shows") {
  const MemoryState state;
  AllocatorSettings settings;
  Request request;
  request.pool = {1, 0};
  EventTable events;
  events.push(test::event_of(Action::segment_free, kRange, 80 * MiB, request.pool));
  events.push(test::event_of(Action::oom, 0, 580 * MiB, request.pool));
  const LeadUp lead_up{.start = state, .state = state, .events = events, .event_count = 2, .device = {}};
  CHECK_FALSE(missing_is_least(lead_up, request, settings));
  settings.max_split_bytes = 32 * MiB;
  CHECK(missing_is_least(lead_up, request, settings));
  request.pool = {};
  events = {};
  events.push(test::event_of(Action::segment_free, kRange, 80 * MiB));
  events.push(test::event_of(Action::oom, 0, 580 * MiB));
  CHECK_FALSE(missing_is_least(lead_up, request, settings));
}
