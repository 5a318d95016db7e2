#include "memviz/overlay.hpp"

#include "memviz/environment.hpp"
#include "memviz/error.hpp"
#include "memviz/overlay_svg.hpp"
#include "memviz/step_compare.hpp"
#include "story/overlay_words.hpp"
#include "support/contains.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kKiB = 1024;

/// Four steps of 8 KiB that come and go; the third has `extra_bytes` more. `idle` further events are in each step.
Recording run_with(std::uint64_t extra_bytes, int idle = 0) {
  SmallSnapshot snapshot;
  const StackId line = snapshot.stack({"/app/train.py:1:main"});
  for (int step = 0; step < 4; ++step) {
    const std::int64_t time_us = 100 * (step + 1);
    snapshot.time(time_us).mark("ProfilerStep#" + std::to_string(step));
    snapshot.time(time_us + 1).event(Action::alloc, 2 << 20, 8 * kKiB, line);
    if (step == 2 && extra_bytes > 0) snapshot.time(time_us + 2).event(Action::alloc, 3 << 20, extra_bytes, line);
    for (int i = 0; i < idle; ++i)
      snapshot.time(time_us + 3).event(Action::snapshot, 0, 0);
    snapshot.time(time_us + 4).event(Action::free_completed, 2 << 20, 8 * kKiB);
    if (step == 2 && extra_bytes > 0) snapshot.time(time_us + 5).event(Action::free_completed, 3 << 20, extra_bytes);
  }
  return snapshot.take();
}

std::uint64_t highest_of(const OverlaySide& side) {
  return std::ranges::max_element(side.columns, {}, &LiveSpan::high_bytes)->high_bytes;
}

} // namespace

TEST_CASE("two runs are laid over each other by steps, whatever else happens in them") {
  const Recording before = run_with(0, 3);
  const Recording after = run_with(4 * kKiB);
  const Overlay overlay = overlay_of(end_of(before), end_of(after), {});
  CHECK(overlay.axis == OverlayAxis::step);
  CHECK(overlay.length == 4);
  CHECK(highest_of(overlay.before) == 8 * kKiB);
  CHECK(highest_of(overlay.after) == 12 * kKiB);
  CHECK(overlay_headline(overlay) == "The peak grew by 4.00 KiB (50.0 %): 8.00 KiB before, 12.0 KiB after");
  REQUIRE(overlay.most);
  CHECK(contains(overlay_answer(overlay), "They differ most in step "));
  const Overlay of_steps = overlay_of(end_of(before), end_of(after), {.columns = 4});
  CHECK(
      contains(overlay_answer(of_steps), "They differ most in step 3: up to 8.00 KiB live there before, up to 12.0 "));
  CHECK(overlay.before.columns.size() <= overlay.columns);
}

TEST_CASE("a share of an axis is named by the whole place that it is") {
  Overlay overlay;
  overlay.axis = OverlayAxis::step;
  overlay.length = 100;
  // In binary, 29 of 100 times 100 is less than 29.
  CHECK(overlay_place(overlay, 0.29) == "step 30");
  CHECK(overlay_place(overlay, 0.5) == "step 51");
  overlay.axis = OverlayAxis::event;
  CHECK(overlay_place(overlay, 0.57) == "event 57");
}

TEST_CASE("a run has steps among its facts if it has any") {
  CHECK(overlay_facts({.device = DeviceId{0}, .events = 3, .steps = 2}) ==
        std::vector<std::string>{"GPU 0", "3 events", "2 steps", "peak 0 B", "end 0 B"});
  CHECK(overlay_facts({.device = DeviceId{0}, .events = 3}) ==
        std::vector<std::string>{"GPU 0", "3 events", "peak 0 B", "end 0 B"});
}

TEST_CASE("a run laid over itself does not differ, on any axis") {
  const Recording run = run_with(4 * kKiB);
  const MemoryState state = end_of(run);
  for (const OverlayAxis axis : {OverlayAxis::event, OverlayAxis::time, OverlayAxis::step}) {
    const Overlay overlay = overlay_of(state, state, {.axis = axis, .columns = 7});
    CHECK_FALSE(overlay.most);
    CHECK(overlay.after.columns.size() <= 7);
    CHECK(highest_of(overlay.after) == state.devices[0].figures.peak_requested_bytes);
    CHECK(overlay_headline(overlay) == "The peak is the same: 12.0 KiB");
    const std::string svg = overlay_svg({"a.pickle", "b.pickle", overlay}, {});
    check_svg(svg);
    CHECK(contains(svg, "run-before"));
  }
}

TEST_CASE("what an axis needs and a recording lacks is an error") {
  const Recording run = run_with(0);
  SmallSnapshot made;
  made.event(Action::alloc, 1 << 20, kKiB);
  const Recording without = made.take();
  SmallSnapshot empty;
  const Recording nothing = empty.segment(1 << 20, kKiB).active(kKiB, kKiB).take();
  const auto lay = [](const Recording& one, const Recording& other, const OverlayOptions& options) {
    static_cast<void>(overlay_of(end_of(one), end_of(other), options));
  };
  CHECK_THROWS_AS(lay(run, without, {.axis = OverlayAxis::time}), UsageError);
  CHECK_THROWS_AS(lay(run, without, {.axis = OverlayAxis::step}), UsageError);
  CHECK_THROWS_AS(lay(run, nothing, {}), UsageError);
  CHECK_NOTHROW(lay(run, without, {}));
}

TEST_CASE("steps are paired by their numbers") {
  const Recording before = run_with(0, 3);
  const Recording after = run_with(4 * kKiB);
  const MemoryState state_before = end_of(before);
  const MemoryState state_after = end_of(after);
  const auto compared = compare_steps(step_tables(state_before, {}), step_tables(state_after, {}));
  REQUIRE(compared.size() == 1);
  REQUIRE(compared[0].rows.size() == 4);
  CHECK(compared[0].most == std::size_t{2});
  CHECK(compared[0].rows[2].peak_bytes() == 4096);
  CHECK(compared[0].rows[2].end_bytes() == 0);
  const auto back = compare_steps(step_tables(state_after, {}), step_tables(state_before, {}));
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(back[0].rows[i].peak_bytes() == -compared[0].rows[i].peak_bytes());
  SUBCASE("and not compared where they are not known") {
    SmallSnapshot made;
    made.event(Action::alloc, 1 << 20, kKiB);
    const Recording without = made.take();
    const MemoryState state = end_of(without);
    CHECK(compare_steps(step_tables(state, {}), step_tables(state_after, {}))[0].rows.empty());
  }
}

TEST_CASE("of more steps than are kept the first are not compared") {
  SmallSnapshot made;
  for (std::size_t i = 0; i < kMostSteps + 3; ++i)
    made.event(Action::alloc, 0x1000, kKiB).event(Action::free_completed, 0x1000, kKiB);
  const Recording recording = made.take();
  const auto tables = step_tables(end_of(recording), {{StepSource::events, {}, 2}, {}, {}});
  const auto compared = compare_steps(tables, tables);
  REQUIRE(compared[0].rows.size() == kMostSteps);
  CHECK(compared[0].rows.front().step == 4);
  CHECK(compared[0].before_steps == kMostSteps + 3);
  CHECK(compared[0].after_steps == kMostSteps + 3);
}

TEST_CASE("what differs in how two recordings were made") {
  SmallSnapshot one;
  SmallSnapshot other;
  CHECK(environment_changes(SmallSnapshot().take(), SmallSnapshot().take()).empty());
  one.setting("expandable_segments", "False").setting("max_split_size", "-1");
  const Recording before = one.take();
  other.setting("max_split_size", "-1").setting("expandable_segments", "True").setting("roundup", "8");
  Recording after = other.take();
  CHECK(environment_changes(before, after) ==
        std::vector<EnvironmentChange>{{"expandable_segments", "False", "True"}, {"roundup", std::nullopt, "8"}});
  CHECK(environment_changes(before, SmallSnapshot().take()) ==
        std::vector<EnvironmentChange>{{"allocator settings", "recorded", std::nullopt}});
  after.origin.generation = "PyTorch 2.9 or newer";
  CHECK(environment_changes(before, after).front() ==
        EnvironmentChange{"written by", std::nullopt, "PyTorch 2.9 or newer"});
}
