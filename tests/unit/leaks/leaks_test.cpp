#include "memviz/leaks.hpp"

#include "analysis/steps/repetition.hpp"
#include "memviz/error.hpp"
#include "memviz/leaks_report.hpp"
#include "story/leaks_words_gate.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <ctime>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memviz {

using test::end_of;
using test::run;

namespace {

std::string leaking(const std::string& name) {
  return (test::testdata() / "leaks" / (name + ".pickle")).string();
}

/// `steps` times: a tensor that comes and goes, and one that stays.
Recording small_leak(int steps, bool has_stacks) {
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

std::vector<DeviceLeaks> leaks_of(const Recording& snapshot, const LeakOptions& options = {}) {
  // Without segments the accounts do not balance, but what lived before the first event is known by its frees.
  return find_leaks(end_of(snapshot), options);
}

} // namespace

TEST_CASE("a loop shows in the stacks that allocate once a turn") {
  const Recording snapshot = small_leak(12, true);
  const Repetition repetition = find_repetition(snapshot.frames, snapshot.traces[DeviceId{0}], {});
  CHECK(repetition.anchors == 2);
  CHECK(repetition.starts.size() == 12);
  CHECK(repetition.starts[3] == 12);
  CHECK(!repetition.has_both_passes);
}

TEST_CASE("marks of one name that all come after the last event are no steps") {
  test::SmallSnapshot builder;
  builder.time(1000).event(Action::alloc, 0x1000, 512);
  builder.time(2000);
  for (int i = 0; i < 5; ++i)
    builder.mark("evaluate");
  const auto devices = leaks_of(builder.take());
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].steps.source == StepSource::none);
  CHECK(devices[0].steps.starts.empty());
  CHECK(!is_even({}, 10));
  CHECK(!is_even({3}, 10));
}

TEST_CASE("a device without its own marks has those of all; the marks of others are not looked at again for each") {
  constexpr std::uint32_t kDevices = 2000;
  constexpr int kMarks = 20'000;
  test::SmallSnapshot builder;
  const std::string name = "step " + std::string(100'000, 'n');
  for (int i = 0; i < kMarks; ++i)
    builder.time(10 + i).mark(name, kDevices);
  for (std::uint32_t device = 0; device < kDevices; ++device)
    for (int i = 0; i < 3; ++i)
      builder.time(10 + kMarks * i / 3)
          .event(Action::alloc, 0x1000 * (static_cast<std::uint64_t>(i) + 1), 512, kNoFrames, device);
  const Recording snapshot = builder.take();
  const std::clock_t begin = std::clock();
  const auto devices = leaks_of(snapshot);
  CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC); // minutes, if each device looked at each mark
  REQUIRE(devices.size() == kDevices);
  CHECK(devices[7].steps.source == StepSource::annotation);
  CHECK(devices[7].steps.starts == std::vector<std::uint64_t>{0, 1, 2});
}

TEST_CASE("a leak is found by stack, and without stacks by size") {
  for (const bool has_stacks : {true, false}) {
    CAPTURE(has_stacks);
    const Recording snapshot = small_leak(12, has_stacks);
    const auto devices = leaks_of(snapshot);
    REQUIRE(devices.size() == 1);
    const DeviceLeaks& leaks = devices[0];
    CHECK(leaks.steps.source == StepSource::repetition);
    REQUIRE(leaks.grows.size() == 1);
    CHECK(leaks.bytes_per_step() == 100);
    CHECK(leaks.grows[0].end_blocks == 12);
    CHECK(leaks.grows[0].size_bytes == (has_stacks ? 0 : 100));
    CHECK(leaks.grows[0].trend.confidence == Confidence::medium);
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
  const Recording snapshot = builder.take();
  const DeviceLeaks found = leaks_of(snapshot)[0];
  CHECK(found.doubt == Doubt::loading);
  CHECK(found.doubtful.size() == 1);
  CHECK(found.bytes_per_step() == 0);
  LeakOptions options;
  options.steps = {StepSource::events, {}, 1};
  CHECK(leaks_of(snapshot, options)[0].bytes_per_step() == 4096);
}

TEST_CASE("the layers of one backward pass are not taken for steps, though each keeps its gradients") {
  test::SmallSnapshot builder;
  std::vector<StackId> kept;
  for (const char* line : {"/app/a.py:1:w", "/app/a.py:2:w", "/app/a.py:3:b", "/app/a.py:4:b"})
    kept.push_back(builder.stack({"/usr/torch/engine.cpp:9:torch::autograd::Engine::evaluate_function()", line}));
  const StackId work = builder.stack({"/usr/torch/engine.cpp:9:torch::autograd::Engine::evaluate_function()"});
  for (std::uint64_t layer = 0; layer < 24; ++layer) {
    builder.event(Action::alloc, 0x100, 1 << 20U, work);
    for (std::uint64_t i = 0; i < kept.size(); ++i)
      builder.event(Action::alloc, 0x100000 * (layer + 1) + 4096 * i, 4096, kept[i]);
    builder.event(Action::free_completed, 0x100, 1 << 20U);
  }
  const DeviceLeaks found = leaks_of(builder.take())[0];
  CHECK(found.steps.is_guess());
  CHECK(found.grows.empty());
  CHECK(found.doubt == Doubt::one_pass);
  CHECK(gate_of(found, 0) == Gate::no_steps);
}

TEST_CASE("guessed steps are never sure, and the text says that they are a guess") {
  const Recording snapshot = small_leak(100, true);
  const auto devices = leaks_of(snapshot);
  CHECK(devices[0].grows[0].trend.confidence == Confidence::medium);
  const std::string text = leaks_text("mem.pickle", end_of(snapshot), devices);
  CHECK(text.find("A leak, if these are steps: 1 stack grows") < text.find("These steps are a guess"));
  LeakOptions options;
  options.steps = {StepSource::events, {}, 4};
  const auto declared = leaks_of(snapshot, options);
  CHECK(declared[0].grows[0].trend.confidence == Confidence::high);
  CHECK(leaks_text("mem.pickle", end_of(snapshot), declared).find("a guess") == std::string::npos);
}

TEST_CASE("JSON of stacks is bounded by the file: what would be out of all proportion is an error") {
  test::SmallSnapshot builder;
  std::vector<std::string_view> frames(20'000, "/app/model.py:12:forward");
  const StackId deep = builder.stack(frames);
  constexpr std::uint32_t kDevices = 80;
  for (std::uint32_t device = 0; device < kDevices; ++device)
    for (std::uint64_t i = 1; i <= 6; ++i)
      builder.event(Action::alloc, 0x1000 * i, 512, deep, device);
  const Recording snapshot = builder.take();
  LeakOptions options;
  options.steps = {StepSource::events, {}, 1};
  const auto devices = leaks_of(snapshot, options);
  CHECK_THROWS_WITH_AS(static_cast<void>(leaks_json("mem.pickle", end_of(snapshot), devices)),
                       doctest::Contains("of text, which no real snapshot of this size has"), Error);
  CHECK(leaks_text("mem.pickle", end_of(snapshot), devices).size() < 200'000);
  CHECK(nlohmann::json::parse(
            leaks_json("mem.pickle", end_of(snapshot), {devices[0]}))["devices"][0]["grows"][0]["frames"]
            .size() == frames.size());
}

TEST_CASE("steps are cut as given") {
  const Recording snapshot = small_leak(12, true);
  LeakOptions options;
  options.steps = {StepSource::events, {}, 8};
  CHECK(leaks_of(snapshot, options)[0].bytes_per_step() == 200);
  options.steps.length = 40;
  const auto few = leaks_of(snapshot, options);
  CHECK(steps_note(snapshot, few[0].steps) == "only 2 steps; at least 3 are needed to distinguish growth from chance");
  CHECK(few[0].grows.empty());
  options.steps = {StepSource::time, {}, 1000};
  CHECK_THROWS_AS(leaks_of(snapshot, options), UsageError);
  options.steps = {StepSource::annotation, "step", 0};
  CHECK_THROWS_AS(leaks_of(snapshot, options), UsageError);
}

TEST_CASE("of very many steps the last ones count, and memory stays bounded") {
  const Recording snapshot = small_leak(5000, true);
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
  const Recording snapshot = small_leak(10, true);
  LeakOptions options;
  CHECK(!leaks_of(snapshot)[0].steps_left());
  options.capacity_bytes = 4096 + 1000 + 4250; // the last step's peak, and room for 42
  CHECK(leaks_of(snapshot, options)[0].steps_left() == 42);
  options.capacity_bytes = 100;
  CHECK(leaks_of(snapshot, options)[0].steps_left() == 0);
}

TEST_CASE("steps are left from the higher of the last two peaks, because the last step may be cut short") {
  const auto steps_left = [](const std::vector<std::uint64_t>& peak_bytes) {
    DeviceLeaks leaks;
    leaks.capacity_bytes = 100;
    leaks.grows.resize(1);
    leaks.grows[0].trend.bytes_per_step = 10;
    leaks.peak_bytes = peak_bytes;
    return leaks.steps_left();
  };
  CHECK(steps_left({50, 40}) == 5);
  CHECK(steps_left({40, 50}) == 5);
  CHECK(steps_left({90, 40, 50}) == 5);
  CHECK(steps_left({91, 0}) == 0);
  CHECK(steps_left({100, 101}) == 0);
  CHECK(!steps_left({50}));
}

TEST_CASE("leaks names the line that grows, in text and JSON") {
  const auto outcome = run({"leaks", leaking("cache"), "--capacity", "80GiB"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  for (const char* part :
       {"12 steps, one at each annotation 'ProfilerStep#*'", "1 stack grows from step to step: +256 MiB a step",
        "put encoder_cache.py:33", "medium: rose in 11 of 11 steps",
        "80.0 GiB for PyTorch (as given): full in about 307 steps"}) {
    CAPTURE(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
  const auto devices = nlohmann::json::parse(run({"leaks", leaking("cache"), "--json", "-"}).out)["devices"];
  CHECK(devices[0]["bytes_per_step"] == 268435456);
  CHECK(devices[0]["grows"][0]["confidence_word"] == "medium");
  CHECK(devices[0]["grows"][0]["survivor_bytes"].size() == 12);
}

TEST_CASE("leaks names what earlier calls keep, whether steps show it or not") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  const auto first_lines = [&](const std::string& file) {
    const std::string out = run({"leaks", "--quiet", (*shared / file).string()}).out;
    return out.substr(0, out.find("a step\n"));
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string no_grad = first_lines("probes/findings4/field/eval_without_no_grad.pickle");
  CHECK(has(no_grad, "Kept graphs: 1.78 GiB (80.9 %) of 4 earlier forward passes is still alive"));
  CHECK(has(no_grad, "torch.no_grad() is missing"));
  CHECK(has(no_grad, "forward common.py:9 ‹ validate s02_validate.py:10"));
  CHECK(has(no_grad, "Between steps nothing else grows: 64 stacks looked at in 4 steps"));
  const std::string predictions = first_lines("probes/findings4/field/eval_keeps_predictions.pickle");
  CHECK(has(predictions, "Kept: 1.71 GiB (81.8 %) of 28 earlier calls is still alive"));
  const std::string no_steps = first_lines("probes/findings4/field/retain_graph_no_steps.pickle.gz");
  CHECK(has(no_steps, "Kept graphs: 298 MiB (62.6 %) of 199 earlier forward passes"));
  CHECK(has(no_steps, "68,616 events; no verdict:"));
  const auto devices = nlohmann::json::parse(
      run({"leaks", "--json", "-", (*shared / "probes/findings4/field/eval_keeps_predictions.pickle").string()})
          .out)["devices"];
  REQUIRE(devices[0]["kept"].size() == 1);
  CHECK(devices[0]["kept"][0]["cause"] == "kept_outputs");
  CHECK(devices[0]["kept"][0]["calls"] == 28);
  CHECK(devices[0]["kept"][0]["call"] == "validate s02b_validate.py:10");
}

TEST_CASE("an optimizer's state, made lazily, is no leak; what torch.cat() extends in each step of a training is one") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  const auto gate = [&](const std::string& name) {
    return run({"leaks", "--quiet", "--fail-over", "1KiB", (*shared / "probes/findings4/truth/leaks" / name).string()});
  };
  const auto lazy = gate("c_lazy_state.pickle");
  CHECK(lazy.exit_code == 0);
  CHECK(lazy.out.find("Grew and stopped, or almost") != std::string::npos);
  const auto cat = gate("metric_cat.pickle");
  CHECK(cat.exit_code == 3);
  CHECK(cat.out.find("A leak: 1 stack grows from step to step: +5.00 KiB a step") != std::string::npos);
  CHECK(cat.out.find("grow_cat progs.py:117") != std::string::npos);
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
  CHECK(over.err.find("GPU 0 grows by 256 MiB per step, more than the 255 MiB that --fail-over allows") !=
        std::string::npos);
  CHECK(over.out == run({"leaks", leaking("cache")}).out);
  CHECK(run({"leaks", leaking("clean_marked"), "--fail-over", "0"}).exit_code == 0);
}

TEST_CASE("a gate that cannot be judged is not passed: it says how to declare the steps") {
  const test::TemporaryFolder folder;
  for (const std::string name : {"clean", "one_pass", "hidden", "two_steps"}) {
    CAPTURE(name);
    const auto outcome = run({"leaks", leaking(name), "--fail-over", "0", "--json", folder / "leaks.json"});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.find("GPU 0: --fail-over needs steps that are annotated or declared, and ") != std::string::npos);
    CHECK(outcome.err.find("--steps annotation:NAME, --steps events:N or --steps time:US") != std::string::npos);
    CHECK(outcome.out.empty());
    CHECK(folder.names().empty());
  }
  CHECK(run({"leaks", leaking("hidden"), "--fail-over", "0", "--steps", "events:67"}).exit_code == 3);
  CHECK(run({"leaks", leaking("clean"), "--fail-over", "0", "--steps", "events:67"}).exit_code == 0);
  const auto nothing = run({"leaks", (test::testdata() / "segments_only.pickle").string(), "--fail-over", "0"});
  CHECK(nothing.exit_code == 1);
  CHECK(nothing.err.find("no events on any device") != std::string::npos);
}

TEST_CASE("a gate takes what is sure, says where steps are too few, and passes a device that hardly takes part") {
  LeakOptions options;
  options.steps = {StepSource::events, {}, 4};
  const auto gate = [&](int steps, std::uint64_t most_bytes) {
    return gate_of(leaks_of(small_leak(steps, true), options)[0], most_bytes);
  };
  CHECK(gate(12, 99) == Gate::exceeded);
  CHECK(gate(12, 100) == Gate::passes);
  CHECK(gate(5, 99) == Gate::too_few_steps);
  CHECK(gate(5, 100) == Gate::passes);
  CHECK(gate(2, 0) == Gate::no_steps);
  CHECK(gate_of(leaks_of(small_leak(30, true))[0], 0) == Gate::no_steps); // guessed

  test::SmallSnapshot builder;
  for (int step = 0; step < 9; ++step) {
    builder.time(1000 * (step + 1)).mark("ProfilerStep#" + std::to_string(step));
    builder.event(Action::alloc, 0x1000, 64).event(Action::free_completed, 0x1000, 64);
    if (step == 0) builder.event(Action::alloc, 0x1000, 64, kNoFrames, 1);
  }
  // The events of these were lost in the ring.
  builder.event(Action::alloc, 0x1000, 64, kNoFrames, 2);
  const Recording recording = builder.take();
  const auto devices = leaks_of(recording);
  REQUIRE(devices.size() == 3);
  CHECK(gate_of(devices[0], 0) == Gate::passes);
  CHECK(gate_of(devices[1], 0) == Gate::idle);
  CHECK(steps_note(recording, devices[1].steps) ==
        "only 1 of the 9 steps at 'ProfilerStep#*' has events here, and a verdict needs 3");
  CHECK(gate_of(devices[2], 0) == Gate::no_steps);
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
  check({"--fail-over", "2"}, "--fail-over needs a unit: 2B, 2KiB or 2MiB?");
  check({"--capacity", "much"}, "--capacity must be a size");
  check({"--device", "3"}, "--device 3");
  check({"--json", "-", "-o", "-"}, "-o and --json name the same output");
}

} // namespace memviz
