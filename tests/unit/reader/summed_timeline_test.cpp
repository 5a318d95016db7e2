#include "memviz/device_state.hpp"
#include "memviz/error.hpp"
#include "memviz/kinds.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "support/contains.hpp"
#include "support/refusal.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

/// CategorySums by category: parameter, optimizer_state, input, temporary, activation, gradient, autograd_detail,
/// unknown.
using CategorySums = std::array<std::int64_t, 8>;

struct SummedStep {
  std::int64_t time_us;
  CategorySums sums;
};

std::string summed_json(const std::vector<SummedStep>& steps) {
  std::vector<std::int64_t> times;
  std::vector<std::string> rows;
  for (const SummedStep& step : steps) {
    times.push_back(step.time_us);
    rows.push_back(fmt::format("[0, {}]", fmt::join(step.sums, ", ")));
  }
  return fmt::format("[[{}], [{}]]", fmt::join(times, ", "), fmt::join(rows, ", "));
}

std::int64_t summed_total(const CategorySums& sums) {
  std::int64_t bytes = 0;
  for (const std::int64_t sum : sums)
    bytes += sum;
  return bytes;
}

/// Returns the bytes by category after the last event of each time.
std::map<std::int64_t, std::map<std::string, std::int64_t>> sums_by_time(const Recording& recording) {
  std::map<std::string, std::int64_t> live;
  std::map<std::int64_t, std::map<std::string, std::int64_t>> by_time;
  const EventTable& events = recording.events_of({0});
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event event = events[i];
    if (event.action != Action::alloc && event.action != Action::free_completed) continue;
    const auto stack = recording.frames.stack(event.stack);
    REQUIRE(stack.size() == 1);
    const std::string name(recording.frames.text(recording.frames.frame(stack[0]).name));
    const auto bytes = static_cast<std::int64_t>(event.size_bytes);
    live[name] += event.action == Action::alloc ? bytes : -bytes;
    by_time[event.time_us.value()] = live;
  }
  return by_time;
}

} // namespace

TEST_CASE("the memory timeline of sums has the bytes of each category at each time") {
  const auto recording =
      std::make_shared<const Recording>(read_snapshot(summed_json({{10, {4096, 0, 0, 0, 0, 0, 0, 0}},
                                                                   {10, {4096, 0, 0, 0, 1024, 0, 0, 8}},
                                                                   {20, {4096, 0, 0, 0, 3072, 0, 0, 8}},
                                                                   {30, {4096, 512, 0, 0, 1536, 100, 0, 8}},
                                                                   {40, {4096, 512, 0, 0, 0, 0, 0, 8}}})));
  CHECK(recording->origin.encoding == "a profiler's memory timeline");
  CHECK(recording->origin.are_segments_made_up);
  CHECK(contains(recording->warnings.at(0), "no stacks"));
  CHECK(contains(recording->warnings.at(1), "before the profiler began"));
  const auto sums = sums_by_time(*recording);
  CHECK(sums.at(20).at("ACTIVATION") == 3072);
  CHECK(sums.at(30).at("ACTIVATION") == 1536);
  CHECK(sums.at(30).at("GRADIENT") == 100);
  CHECK(sums.at(40).at("ACTIVATION") == 0);
  const DeviceFigures figures = replay(recording).devices.at(0).figures;
  CHECK(figures.peak_requested_bytes == 4096 + 3072 + 8);
  CHECK(figures.requested_bytes == 4096 + 512 + 8);
  CHECK(figures.balanced());
}

TEST_CASE("any sums are those of the events, and no moment between is higher than the sums are") {
  std::mt19937 random(7);
  std::vector<SummedStep> steps;
  std::int64_t peak = 0;
  for (int i = 0; i < 300; ++i) {
    SummedStep step{1000 + i, i == 0 ? CategorySums{} : steps.back().sums};
    for (int change = 0; change < 3; ++change)
      step.sums.at(random() % step.sums.size()) = static_cast<std::int64_t>(random() % 5000);
    peak = std::max(peak, summed_total(step.sums));
    steps.push_back(step);
  }
  const auto recording = std::make_shared<const Recording>(read_snapshot(summed_json(steps)));
  const auto by_time = sums_by_time(*recording);
  for (const SummedStep& step : steps) {
    std::int64_t bytes = 0;
    for (const auto& [name, sum] : std::prev(by_time.upper_bound(step.time_us))->second)
      bytes += sum;
    CHECK(bytes == summed_total(step.sums));
  }
  const DeviceFigures figures = replay(recording).devices.at(0).figures;
  CHECK(static_cast<std::int64_t>(figures.peak_requested_bytes) == peak);
  CHECK(static_cast<std::int64_t>(figures.requested_bytes) == summed_total(steps.back().sums));
  CHECK(figures.balanced());
}

TEST_CASE("sums that no profiler writes are counted and left out") {
  const std::string row = "[0, 8, 0, 0, 0, 0, 0, 0, 0]";
  for (const std::string odd : {"[0, 8]", "[0, 8, 0, 0, 0, 0, 0, 0, true, 0]", "8", "[0, 8, 0, 0, 0, 0, 0, 0, \"\"]",
                                "[0, 9223372036854775807, 0, 0, 0, 0, 0, 0, 0]"}) {
    CAPTURE(odd);
    const Recording recording = read_snapshot(fmt::format("[[1, 2], [{}, {}]]", row, odd));
    CHECK(contains(recording.warnings.at(1), "1 row left out"));
    CHECK(recording.end.segments.size() == 1);
  }
  CHECK(contains(read_snapshot(fmt::format("[[1, 2], [{}]]", row)).warnings.at(1), "1 row left out"));
  CHECK(contains(read_snapshot(fmt::format("[[1], [{}, {}]]", row, row)).warnings.at(1), "1 row left out"));
  CHECK(contains(read_snapshot(summed_json({SummedStep{1, {8, -8, 0, 0, 0, 0, 0, 0}}})).warnings.at(1),
                 "1 sum is below zero"));
  CHECK(contains(refusal_of(summed_json({SummedStep{1, {}}, SummedStep{2, {}}})), "without memory"));
}

TEST_CASE("two lists of numbers are no timeline of sums") {
  CHECK(contains(refusal_of("[[1], [2]]"), "expected a dict for segments[0], found a list"));
}

TEST_CASE("sums that change more often than their bytes have room for are refused") {
  std::string times = "0";
  std::string rows = "[0,9,9,9,9,9,9,9,9]";
  for (int i = 1; i < 4000; ++i) {
    times += ",1";
    rows += i % 2 == 0 ? ",[0,9,9,9,9,9,9,9,9]" : ",[0,1,1,1,1,1,1,1,1]";
  }
  CHECK(contains(refusal_of(fmt::format("[[{}],[{}]]", times, rows)), "more changes than its bytes have room for"));
}
