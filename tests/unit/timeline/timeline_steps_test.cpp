#include "memviz/timeline_steps.hpp"

#include "support/drawing.hpp"
#include "support/small_snapshot.hpp"
#include "support/svg_check.hpp"
#include "support/timeline_drawing.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Four steps; each allocates 3000 bytes, frees 2000 of them and keeps the rest.
Recording steps_of_a_loop(std::string_view annotation) {
  SmallSnapshot snapshot;
  std::int64_t time_us = 100;
  snapshot.time(time_us).event(Action::alloc, 0x1000, 500);
  for (std::uint64_t step = 1; step <= 4; ++step) {
    snapshot.time(time_us += 100).mark(annotation);
    snapshot.time(time_us += 10).event(Action::alloc, 0x10000 * step, 1000);
    snapshot.time(time_us += 10).event(Action::alloc, 0x2000, 2000);
    snapshot.time(time_us += 10).event(Action::free_completed, 0x2000, 2000);
  }
  return snapshot.take();
}

TimelineSteps found_in(const Recording& recording) {
  const std::vector<DeviceRecord> records = record_timeline(recording);
  REQUIRE(records.size() == 1);
  return timeline_steps(recording, records[0], {0, records[0].events});
}

} // namespace

TEST_CASE("steps are numbered, with their peak and their growth") {
  const TimelineSteps found = found_in(steps_of_a_loop("Optimizer.step#AdamW.step"));
  CHECK(found.name == "Optimizer.step#AdamW.step");
  REQUIRE(found.steps.size() == 4);
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    const TimelineStep& step = found.steps[i];
    CHECK(step.number == i + 1);
    CHECK(step.begin == 2 + 3 * i); // after one event, and three of each step before
    CHECK(step.peak_bytes == 500 + 1000 * (i + 1) + 2000);
    CHECK(step.growth_bytes == 1000);
  }
}

TEST_CASE("annotations that do not say steps are none") {
  CHECK(found_in(steps_of_a_loop("forward")).steps.empty());
}

TEST_CASE("a timeline marks steps and lists them") {
  const pugi::xml_document document = parse_svg(drawn_timeline(steps_of_a_loop("ProfilerStep#1")));
  CHECK(document.select_nodes("//g[@class='flag step']").size() == 4);
  const std::string text = visible_text(document);
  CHECK(text.find("Steps, by the annotation ProfilerStep#*: peak and growth") != std::string::npos);
  CHECK(text.find("step 4, from event 10") != std::string::npos);
}
