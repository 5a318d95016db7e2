#include "analysis/explain/pool_lives.hpp"
#include "support/explained.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>

// When a private pool ends, and what waits for the capture that has one: no event says it. Each was first found by
// tests/rehearsal/judge/ as an answer that PyTorch's own allocator proved wrong, and cut down to what shows it.

using namespace memviz;
using memviz::test::MiB;
using test::explained;
using test::Explained;

namespace {

constexpr PoolId kPool{1, 0};
constexpr std::uint64_t kOfPool = 0x7f0000000000;
constexpr std::uint64_t kLower = 0x7f1000000000;
constexpr std::uint64_t kMiddle = 0x7f2000000000;
constexpr std::uint64_t kUpper = 0x7f3000000000;

class PoolEvents {
public:
  PoolEvents& add(Action action, std::uint64_t address, std::uint64_t size_bytes, PoolId pool = {}) {
    table_.push(test::event_of(action, address, size_bytes, pool));
    return *this;
  }
  /// 40 MiB of the pool, which are freed again: the pool has a free segment from the third event on.
  PoolEvents& captured() {
    add(Action::segment_alloc, kOfPool, 40 * MiB, kPool).add(Action::alloc, kOfPool, 40 * MiB, kPool);
    return add(Action::free_completed, kOfPool, 40 * MiB, kPool);
  }
  [[nodiscard]] std::size_t until(Release at_failure = Release::not_done,
                                  const AllocatorSettings& settings = {}) const {
    const MemoryState state;
    const LeadUp lead_up{.start = state, .state = state, .events = table_, .event_count = table_.size(), .device = {}};
    return pools_in_use_until(lead_up, settings, at_failure).at(kPool);
  }

private:
  EventTable table_;
};

/// 200 MiB: 80 in use, 40 freed while another stream used them, and a graph's pool; 100 MiB more are asked for.
test::SmallSnapshot failure_with_a_wait(bool is_first_of_its_capture) {
  test::SmallSnapshot made;
  made.segment(kLower, 80 * MiB).active(80 * MiB, 80 * MiB);
  made.segment(kMiddle, 40 * MiB, 1).pending(40 * MiB, 40 * MiB);
  made.segment(kOfPool, 2 * MiB).pool(kPool).active(512, 8).inactive(2 * MiB - 512);
  if (!is_first_of_its_capture) {
    made.event(Action::segment_alloc, kOfPool, 2 * MiB).event(Action::alloc, kOfPool, 8);
    made.event(Action::segment_free, kUpper, 20 * MiB);
  }
  made.event(Action::segment_alloc, kLower, 80 * MiB).event(Action::alloc, kLower, 80 * MiB);
  made.event(Action::segment_alloc, kMiddle, 40 * MiB).event(Action::alloc, kMiddle, 40 * MiB);
  made.event(Action::free_requested, kMiddle, 40 * MiB);
  if (is_first_of_its_capture) made.event(Action::segment_alloc, kOfPool, 2 * MiB).event(Action::alloc, kOfPool, 8);
  made.event(Action::oom, 78 * MiB, 100 * MiB);
  return made;
}

} // namespace

TEST_CASE("pools_in_use_until") {
  PoolEvents events;
  SUBCASE("a pool that allocates is in use") {
    CHECK(events.captured().until() == 2);
  }
  SUBCASE("so is one that keeps a free segment when memory of the default pool goes back") {
    events.captured().add(Action::alloc, kLower, 20 * MiB);
    events.add(Action::segment_free, kMiddle, 20 * MiB).add(Action::segment_free, kUpper, 20 * MiB);
    CHECK(events.add(Action::alloc, kLower, 20 * MiB).until() == 6);
    SUBCASE("but not where that may have been a part of what could go back") {
      AllocatorSettings settings;
      settings.max_split_bytes = 64 * MiB;
      CHECK(events.until(Release::not_done, settings) == 2);
    }
  }
  SUBCASE("and if the allocator gave back all before the failure, to the end") {
    CHECK(events.captured().add(Action::oom, 0, 20 * MiB).until(Release::done) == 4);
  }
  SUBCASE("one whose memory went back may not be") {
    events.captured().add(Action::segment_free, kMiddle, 20 * MiB);
    CHECK(events.add(Action::segment_free, kOfPool, 40 * MiB, kPool).until(Release::done) == 2);
  }
  SUBCASE("one that had nothing to give back may not be either") {
    events.add(Action::segment_alloc, kOfPool, 40 * MiB, kPool).add(Action::alloc, kOfPool, 40 * MiB, kPool);
    CHECK(events.add(Action::segment_free, kMiddle, 20 * MiB).until(Release::done) == 2);
  }
  SUBCASE("what one private pool gives back says nothing of another") {
    events.captured().add(Action::segment_free, kMiddle, 20 * MiB, {2, 0});
    CHECK(events.until() == 2);
  }
}

TEST_CASE("without private pools, what had to wait for a capture to end may have been free") {
  SUBCASE("or not, which this file does not tell") {
    const Explained found = explained(failure_with_a_wait(true).take());
    const WhatIf& answer = found.answer(Circumstance::no_private_pools);
    CHECK(answer.outcome == Outcome::at_best);
    CHECK(answer.proviso == Proviso::wait);
    CHECK(found.words().answers.at(4).find("if what other streams had used was free by then") != std::string::npos);
  }
  SUBCASE("but what waited outside of a capture would have waited without it") {
    const Explained found = explained(failure_with_a_wait(false).take());
    const WhatIf& answer = found.answer(Circumstance::no_private_pools);
    CHECK(answer.outcome == Outcome::does_not_fit);
    CHECK(answer.proviso == Proviso::none);
  }
}

TEST_CASE("what a pool that may have been given up would have given back is not told") {
  // Of 998 MiB a graph's pool has 140, free; so are 60, which a failure in a capture does not give back. With
  // expandable segments the last 90 take a release: of those 60, or of both.
  test::SmallSnapshot made;
  made.segment(kOfPool, 140 * MiB).pool(kPool).inactive(140 * MiB);
  made.segment(kLower, 60 * MiB).inactive(60 * MiB);
  made.segment(kMiddle, 706 * MiB).active(706 * MiB, 706 * MiB);
  made.segment(kUpper, 90 * MiB).active(90 * MiB, 90 * MiB);
  made.event(Action::segment_alloc, kOfPool, 140 * MiB).event(Action::alloc, kOfPool, 140 * MiB);
  made.event(Action::free_requested, kOfPool, 140 * MiB).event(Action::free_completed, kOfPool, 140 * MiB);
  made.event(Action::segment_alloc, kLower, 60 * MiB).event(Action::alloc, kLower, 60 * MiB);
  made.event(Action::segment_alloc, kMiddle, 706 * MiB).event(Action::alloc, kMiddle, 706 * MiB);
  made.event(Action::free_requested, kLower, 60 * MiB).event(Action::free_completed, kLower, 60 * MiB);
  made.event(Action::segment_alloc, kUpper, 90 * MiB).event(Action::alloc, kUpper, 90 * MiB);
  made.event(Action::oom, 2 * MiB, 64 * MiB);
  Recording recording = made.take();
  recording.trace_max_entries = 100; // of a PyTorch that expands private pools
  const Explained found = explained(std::move(recording));
  const WhatIf& expandable = found.answer(Circumstance::expandable_segments);
  CHECK(expandable.outcome == Outcome::at_best);
  CHECK(expandable.proviso == Proviso::pool);
  CHECK_FALSE(expandable.reserved_bytes.has_value());
}

TEST_CASE("no set of blocks helps where a private pool that keeps free memory at the failure is in use") {
  // As much again would have to go back, and all that could has gone.
  test::SmallSnapshot made;
  made.segment(kOfPool, 60 * MiB).pool(kPool).inactive(60 * MiB);
  made.segment(kLower, 40 * MiB).active(40 * MiB, 40 * MiB);
  made.event(Action::segment_alloc, kOfPool, 60 * MiB).event(Action::alloc, kOfPool, 60 * MiB);
  made.event(Action::free_requested, kOfPool, 60 * MiB).event(Action::free_completed, kOfPool, 60 * MiB);
  made.event(Action::segment_alloc, kLower, 40 * MiB).event(Action::alloc, kLower, 40 * MiB);
  made.event(Action::oom, 20 * MiB, 80 * MiB);
  const Explained found = explained(made.take());
  const WhatIf& without = found.answer(Circumstance::without_blocks);
  CHECK(without.outcome == Outcome::does_not_fit);
  CHECK(without.proviso == Proviso::none);
}
