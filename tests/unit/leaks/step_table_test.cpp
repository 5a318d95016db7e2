#include "memviz/step_table.hpp"

#include "memviz/error.hpp"
#include "memviz/step_table_report.hpp"
#include "support/contains.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kKiB = 1024;

/// Four steps, each with 8 KiB that come and go; the third keeps 4 KiB. 1 KiB lived before the recording and is freed
/// before the first step.
Recording four_steps() {
  SmallSnapshot snapshot;
  const StackId line = snapshot.stack({"/app/train.py:1:main"});
  snapshot.time(5).event(Action::free_completed, 1 << 20, kKiB);
  for (int step = 0; step < 4; ++step) {
    const std::int64_t time_us = 100 * (step + 1);
    snapshot.time(time_us).mark("ProfilerStep#" + std::to_string(step));
    snapshot.time(time_us + 1).event(Action::alloc, 2 << 20, 8 * kKiB, line);
    if (step == 2) snapshot.time(time_us + 2).event(Action::alloc, 3 << 20, 4 * kKiB, line);
    snapshot.time(time_us + 3).event(Action::free_completed, 2 << 20, 8 * kKiB);
  }
  return snapshot.take();
}

} // namespace

TEST_CASE("the steps of a recording add up") {
  const Recording recording = four_steps();
  const MemoryState state = end_of(recording);
  const std::vector<StepTable> tables = step_tables(state, {});
  REQUIRE(tables.size() == 1);
  const StepTable& table = tables[0];
  REQUIRE(table.rows.size() == 4);
  REQUIRE(table.before);
  CHECK(table.before->start_bytes == kKiB);
  CHECK(table.before->freed_bytes == kKiB);
  CHECK(table.before->end_bytes == 0);
  CHECK(table.rows[2].peak_bytes == 12 * kKiB);
  CHECK(table.rows[2].growth_bytes() == 4096);
  CHECK(table.rows[2].time_us == 301);
  CHECK(table.rows[3].start_bytes == 4 * kKiB);
  CHECK(table.rows[3].growth_bytes() == 0);
  std::uint64_t events = table.before->events;
  std::uint64_t end = table.before->end_bytes;
  for (const StepFigures& step : table.rows) {
    CHECK(step.start_bytes == end);
    CHECK(step.end_bytes == step.start_bytes + step.allocated_bytes - step.freed_bytes);
    CHECK(step.first_event == events);
    events += step.events;
    end = step.end_bytes;
  }
  CHECK(events == recording.events_of(DeviceId{0}).size());
  CHECK(end == state.devices[0].figures.end_requested_bytes);
  const std::string text = step_tables_text("mem.pickle", state, tables);
  CHECK(contains(text, "The highest peak of a step is 12.0 KiB, in step 3; the largest growth in a step is +4.00 KiB"));
  CHECK(contains(text, "4 steps, one at each annotation 'ProfilerStep#*'."));
  const auto json = nlohmann::json::parse(step_tables_json("mem.pickle", state, tables))["devices"][0];
  CHECK(json["before"]["events"] == 1);
  REQUIRE(json["rows"].size() == 4);
  CHECK(json["rows"][0]["step"] == 1);
  CHECK(json["rows"][3]["step"] == 4);
  CHECK(json["rows"][2]["peak_bytes"] == 12 * kKiB);
}

TEST_CASE("steps that are not there are said, and one that is declared wrongly is an error") {
  const Recording recording = four_steps();
  const MemoryState state = end_of(recording);
  CHECK(step_tables(state, {{StepSource::events, {}, 3}, {}, {}})[0].rows.size() == 4);
  const LeakOptions other{{StepSource::annotation, "other", 0}, {}, {}};
  CHECK_THROWS_AS(static_cast<void>(step_tables(state, other)), UsageError);
  SmallSnapshot snapshot;
  snapshot.event(Action::alloc, 1 << 20, kKiB);
  const Recording single = snapshot.take();
  const MemoryState end = end_of(single);
  const std::vector<StepTable> tables = step_tables(end, {});
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].rows.empty());
  CHECK(contains(step_tables_text("mem.pickle", end, tables), "No steps: "));
}
