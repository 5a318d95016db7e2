#include "memviz/leaks.hpp"

#include "analysis/leaks/repetition.hpp"
#include "memviz/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memviz {

using Bytes = std::vector<std::uint64_t>;
using test::run;

namespace {

std::string leaking(const std::string& name) {
  return (test::testdata() / "leaks" / (name + ".pickle")).string();
}

/// `steps` times: a tensor that comes and goes, and one that stays.
Snapshot small_leak(int steps, bool has_stacks) {
  test::SmallSnapshot builder;
  const StackId work = has_stacks ? builder.stack({"/app/train.py:1:main", "/app/model.py:2:forward"}) : kNoFrames;
  const StackId kept = has_stacks ? builder.stack({"/app/train.py:1:main", "/app/cache.py:3:put"}) : kNoFrames;
  for (int step = 0; step < steps; ++step) {
    builder.event(Action::alloc, 0x100000, 4096, work);
    builder.event(Action::alloc, 0x200000 + 512 * static_cast<std::uint64_t>(step), 100, kept);
    builder.event(Action::free_requested, 0x100000, 4096);
    builder.event(Action::free_completed, 0x100000, 4096);
  }
  return builder.take();
}

std::vector<DeviceLeaks> leaks_of(const Snapshot& snapshot, const LeakOptions& options = {}) {
  // Without segments the accounts do not balance, but what lived before the first event is known by its frees.
  return find_leaks(snapshot, replay(snapshot), options);
}

} // namespace

TEST_CASE("what rises in every step grows") {
  const Trend trend = trend_of({0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
  CHECK(trend.kind == TrendKind::grows);
  CHECK(trend.bytes_per_step == 10);
  CHECK(trend.rises == 9);
  CHECK(trend.confidence == 1);
  CHECK(confidence_word(trend.confidence, 10) == "high");
}

TEST_CASE("the slope of growth does not mind a large first step, or odd steps") {
  CHECK(trend_of({0, 5000, 5010, 5020, 5030, 5040, 5050, 5060}).bytes_per_step == 10);
  CHECK(trend_of({0, 10, 20, 900, 910, 920, 930, 940, 950, 960}).kind == TrendKind::grows);
  const Trend noisy = trend_of({100, 112, 118, 131, 138, 152, 149, 171, 178, 192, 199, 210});
  CHECK(noisy.kind == TrendKind::grows);
  CHECK(noisy.bytes_per_step == doctest::Approx(10).epsilon(0.1));
  CHECK(noisy.confidence > 0.8);
}

TEST_CASE("three steps are the fewest, and never certain") {
  CHECK(trend_of({}).kind == TrendKind::none);
  CHECK(trend_of({0, 10}).kind == TrendKind::none);
  CHECK(trend_of({0, 10, 20}).kind == TrendKind::grows);
  CHECK(trend_of({0, 10, 10}).kind == TrendKind::none);
  CHECK(confidence_word(1, 3) == "low");
}

TEST_CASE("what does not change, falls, or rose once does not grow") {
  CHECK(trend_of(Bytes(20, 7)).kind == TrendKind::none);
  CHECK(trend_of({50, 40, 30, 20, 10}).kind == TrendKind::none);
  CHECK(trend_of({0, 90, 90, 90, 90, 90, 90, 90}).kind == TrendKind::none);
  CHECK(trend_of({10, 30, 10, 30, 10, 30, 10, 30}).kind == TrendKind::none);
  CHECK(trend_of({10, 30, 25, 5, 40, 12, 33, 8, 29, 17}).kind == TrendKind::none);
}

TEST_CASE("what rises every few steps, each time, grows as surely") {
  Bytes stairs;
  for (std::uint64_t step = 0; step < 40; ++step)
    stairs.push_back(step / 4 * 100);
  const Trend trend = trend_of(stairs);
  CHECK(trend.kind == TrendKind::grows);
  CHECK(trend.bytes_per_step == doctest::Approx(25));
  CHECK(trend.confidence > 0.9);
}

TEST_CASE("a cache that is full, or nearly, has stopped") {
  CHECK(trend_of({0, 10, 20, 30, 40, 40, 40, 40, 40, 40}).kind == TrendKind::stopped);
  CHECK(trend_of({0, 10, 20, 30, 40, 40, 40, 40, 40, 40}).last_rise == 4);
  CHECK(trend_of({0, 500, 750, 875, 937, 968, 984, 992, 996, 998}).kind == TrendKind::stopped);
}

TEST_CASE("rising for some steps and falling at once, again and again, is freeing late") {
  const Bytes saw{0, 10, 20, 30, 0, 10, 20, 30, 0, 10, 20, 30, 0};
  CHECK(trend_of(saw).kind == TrendKind::late_frees);
  // One fall at the very end is the end of the program.
  CHECK(trend_of({0, 10, 20, 30, 40, 50, 0}).kind == TrendKind::none);
  Bytes tilted = saw;
  for (std::size_t step = 0; step < tilted.size(); ++step)
    tilted[step] += 8 * step;
  CHECK(trend_of(tilted).kind == TrendKind::grows);
}

TEST_CASE("what falls before anything has risen is the end of the start-up, not a late free") {
  CHECK(trend_of({20, 5, 10, 15, 20, 25, 30}).kind == TrendKind::grows);
  CHECK(trend_of({40, 40, 5, 10, 15}).kind == TrendKind::grows);
  CHECK(trend_of({40, 40, 5, 10, 15}).last_rise == 4);
  CHECK(trend_of({90, 10, 10, 10, 10}).kind == TrendKind::none);
  CHECK(trend_of({90, 10, 20}).kind == TrendKind::none); // two steps are left
}

TEST_CASE("one fall among few steps is a late free only where it takes all back") {
  CHECK(trend_of({0, 10, 20, 0, 10, 20}).kind == TrendKind::late_frees);
  CHECK(trend_of({0, 10, 20, 30, 4, 14, 40}).kind == TrendKind::late_frees);
  // A cache that was cut back once, and goes on growing.
  CHECK(trend_of({0, 10, 20, 30, 10, 20, 30, 40}).kind == TrendKind::grows);
  CHECK(trend_of({0, 10, 20, 30, 10, 20, 25}).kind == TrendKind::late_frees); // no new height
}

TEST_CASE("sizes near 2^60 are no trouble") {
  const std::uint64_t most = kMaxTotalBytes;
  CHECK(trend_of({0, most / 4, most / 2, most}).kind == TrendKind::grows);
  CHECK(trend_of({most, 0, most, 0, most}).kind == TrendKind::none);
}

TEST_CASE("a loop shows in the stacks that allocate once a turn") {
  const Snapshot snapshot = small_leak(12, true);
  const Repetition repetition = find_repetition(snapshot.frames, snapshot.traces[0]);
  CHECK(repetition.anchors == 2);
  CHECK(repetition.starts.size() == 12);
  CHECK(repetition.starts[3] == 12);
}

TEST_CASE("a leak is found by stack, and without stacks by size") {
  for (const bool has_stacks : {true, false}) {
    CAPTURE(has_stacks);
    const Snapshot snapshot = small_leak(12, has_stacks);
    const auto devices = leaks_of(snapshot);
    REQUIRE(devices.size() == 1);
    const DeviceLeaks& leaks = devices[0];
    CHECK(leaks.steps.source == StepSource::repetition);
    REQUIRE(leaks.grows.size() == 1);
    CHECK(leaks.bytes_per_step() == 100);
    CHECK(leaks.grows[0].end_blocks == 12);
    CHECK(leaks.grows[0].size_bytes == (has_stacks ? 0 : 100));
    CHECK(leaks.grows[0].floor_bytes.front() == 0);
    CHECK(leaks.grows[0].floor_bytes.back() == 1100);
    CHECK(leaks.late_frees.empty());
    CHECK(leaks.stopped.empty());
  }
}

TEST_CASE("layers that are loaded one by one are no leak, unless they are said to be steps") {
  test::SmallSnapshot builder;
  const StackId stack = builder.stack({"/app/model.py:1:to"});
  for (std::uint64_t layer = 0; layer < 12; ++layer)
    builder.event(Action::alloc, 0x100000 * (layer + 1), 4096, stack);
  const Snapshot snapshot = builder.take();
  const DeviceLeaks found = leaks_of(snapshot)[0];
  CHECK(found.doubt == Doubt::loading);
  CHECK(found.doubtful.size() == 1);
  CHECK(found.bytes_per_step() == 0);
  LeakOptions options;
  options.steps = {StepSource::events, {}, 1};
  CHECK(leaks_of(snapshot, options)[0].bytes_per_step() == 4096);
}

TEST_CASE("steps are cut as given") {
  const Snapshot snapshot = small_leak(12, true);
  LeakOptions options;
  options.steps = {StepSource::events, {}, 8};
  CHECK(leaks_of(snapshot, options)[0].bytes_per_step() == 200);
  options.steps.length = 40;
  const auto few = leaks_of(snapshot, options);
  CHECK(few[0].steps.note == "only 2 steps, and it takes 3 to tell growth from an accident");
  CHECK(few[0].grows.empty());
  options.steps = {StepSource::time, {}, 1000};
  CHECK_THROWS_AS(leaks_of(snapshot, options), UsageError);
  options.steps = {StepSource::annotation, "step", 0};
  CHECK_THROWS_AS(leaks_of(snapshot, options), UsageError);
}

TEST_CASE("of very many steps the last ones count, and memory stays bounded") {
  const Snapshot snapshot = small_leak(5000, true);
  LeakOptions options;
  options.steps = {StepSource::events, {}, 4};
  const auto devices = leaks_of(snapshot, options);
  CHECK(devices[0].steps.starts.size() == kMostSteps);
  CHECK(devices[0].steps.left_out == 5000 - kMostSteps);
  CHECK(devices[0].bytes_per_step() == 100);
  CHECK(devices[0].grows[0].floor_bytes.front() == 100 * (5000 - kMostSteps));
}

TEST_CASE("a second alloc at a live address takes the place of the first") {
  test::SmallSnapshot builder;
  const StackId stack = builder.stack({"/app/a.py:1:f"});
  for (int i = 0; i < 10; ++i)
    builder.event(Action::alloc, 0x1000, 100, stack).event(Action::free_completed, 0x9000, 50);
  const auto devices = leaks_of(builder.take());
  CHECK(devices[0].grows.empty());
  CHECK(devices[0].floor_bytes.back() == 100);
}

TEST_CASE("how many steps are left follows from the capacity and the peak of a step") {
  const Snapshot snapshot = small_leak(10, true);
  LeakOptions options;
  CHECK(!leaks_of(snapshot)[0].steps_left());
  options.capacity_bytes = 4096 + 1000 + 4250; // the last step's peak, and room for 42
  CHECK(leaks_of(snapshot, options)[0].steps_left() == 42);
  options.capacity_bytes = 100;
  CHECK(leaks_of(snapshot, options)[0].steps_left() == 0);
}

TEST_CASE("leaks names the line that grows, in text and JSON") {
  const auto outcome = run({"leaks", leaking("cache"), "--capacity", "80GiB"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  for (const char* part :
       {"12 steps, one at each annotation 'ProfilerStep#*'", "1 stack grows from step to step: +256 MiB a step",
        "put encoder_cache.py:33", "11 of 11", "80.0 GiB for PyTorch (as given): full in about 307 steps"}) {
    CAPTURE(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
  const auto devices = nlohmann::json::parse(run({"leaks", leaking("cache"), "--json", "-"}).out)["devices"];
  CHECK(devices[0]["bytes_per_step"] == 268435456);
  CHECK(devices[0]["grows"][0]["confidence_word"] == "high");
}

TEST_CASE("leaks of a clean recording says what was looked at, and of a short one what to do") {
  CHECK(run({"leaks", leaking("clean")}).out.find("Nothing grows from step to step: 9 stacks looked at in 14 steps") !=
        std::string::npos);
  const std::string few = run({"leaks", leaking("two_steps")}).out;
  CHECK(few.find("Record more steps, or say where they begin: --steps annotation:NAME") != std::string::npos);
  const auto none = run({"leaks", (test::testdata() / "segments_only.pickle").string()});
  CHECK(none.exit_code == 0);
  CHECK(none.out.find("No events on any device") != std::string::npos);
}

TEST_CASE("--fail-over is a gate") {
  CHECK(run({"leaks", leaking("cache"), "--fail-over", "256MiB"}).exit_code == 0);
  const auto over = run({"leaks", leaking("cache"), "--fail-over", "255MiB"});
  CHECK(over.exit_code == 3);
  CHECK(over.err.find("GPU 0 grows by 256 MiB a step, more than the 255 MiB that --fail-over allows") !=
        std::string::npos);
  CHECK(over.out == run({"leaks", leaking("cache")}).out);
  CHECK(run({"leaks", leaking("clean"), "--fail-over", "0"}).exit_code == 0);
  CHECK(run({"leaks", leaking("one_pass"), "--fail-over", "0"}).exit_code == 0);
}

TEST_CASE("a mistake in an option of leaks says what to do") {
  const auto check = [](std::vector<std::string> words, const std::string& message) {
    words.insert(words.begin(), {"leaks", leaking("cache")});
    const auto outcome = run(words);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.find(message) != std::string::npos);
  };
  check({"--steps", "weekly"}, "--steps must be auto, annotation:NAME, events:N or time:US, not 'weekly'");
  check({"--steps", "events:0"}, "the length of a step must be a number above 0");
  check({"--steps", "annotation:epoch"}, "no such annotation begins while events are recorded");
  check({"--capacity", "much"}, "--capacity must be a size");
  check({"--device", "3"}, "--device 3");
  check({"--json", "-", "-o", "-"}, "--json and -o name the same output");
}

} // namespace memviz
