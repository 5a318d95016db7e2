#include "analysis/steps/passes.hpp"
#include "memviz/leaks.hpp"
#include "memviz/leaks_report.hpp"
#include "story/leaks_words_gate.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

namespace memviz {

using test::end_of;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// A program whose annotations, passes and allocations a test puts in order.
class Program {
public:
  explicit Program(bool has_cpp_frames = true) {
    forward_ = snapshot_.stack({"/app/train.py:1:main", "/app/model.py:2:forward"});
    work_ = snapshot_.stack({"/app/train.py:1:main", "/app/model.py:3:mlp"});
    kept_ = snapshot_.stack({"/app/train.py:1:main", "/app/log.py:4:remember"});
    batch_ = snapshot_.stack({"/app/train.py:1:main", "/app/data.py:5:to_device"});
    if (has_cpp_frames) backward_ = snapshot_.stack({"/torch/engine.cpp:9:torch::autograd::Engine::execute()"});
  }

  Program& mark(std::string_view name) {
    snapshot_.time(time_us_ += 10).mark(name);
    return *this;
  }
  /// Allocates, and returns the address.
  std::uint64_t take(std::uint64_t bytes, StackId stack) {
    snapshot_.time(time_us_ += 10).event(Action::alloc, address_ += kMiB * 64, bytes, stack);
    return address_;
  }
  void free(std::uint64_t address, std::uint64_t bytes) {
    snapshot_.time(time_us_ += 10).event(Action::free_completed, address, bytes);
  }
  /// A layer of a forward pass, with temporaries; returns what it keeps.
  std::uint64_t layer() {
    const std::uint64_t kept = take(4 * kMiB, forward_);
    for (std::uint64_t i = 1; i <= 6; ++i)
      free(take(i * kMiB, work_), i * kMiB);
    return kept;
  }
  /// A forward and a backward pass over six layers, each with a mark; nothing stays.
  void step(std::string_view layer_mark) {
    std::vector<std::uint64_t> kept;
    free(take(kMiB, batch_), kMiB);
    for (int i = 0; i < 6; ++i) {
      mark(layer_mark);
      kept.push_back(layer());
    }
    for (; !kept.empty(); kept.pop_back()) {
      free(take(3 * kMiB, backward_), 3 * kMiB);
      free(kept.back(), 4 * kMiB);
    }
  }
  void leak(std::uint64_t bytes) { take(bytes, kept_); }

  [[nodiscard]] DeviceLeaks leaks() {
    recording_ = snapshot_.take();
    return find_leaks(end_of(recording_), {}).at(0);
  }
  [[nodiscard]] const Recording& recording() const { return recording_; }
  [[nodiscard]] StackId forward() const { return forward_; }
  [[nodiscard]] StackId backward() const { return backward_; }

private:
  test::SmallSnapshot snapshot_;
  Recording recording_;
  StackId forward_ = kNoFrames;
  StackId work_ = kNoFrames;
  StackId kept_ = kNoFrames;
  StackId batch_ = kNoFrames;
  StackId backward_ = kNoFrames;
  std::int64_t time_us_ = 1000;
  std::uint64_t address_ = 0;
};

} // namespace

TEST_CASE("the layers of one forward pass are no steps, whatever they are called") {
  for (const std::string name : {"FSDP::post_forward", "layers.#", "BatchNorm2d", "batch_norm", "Block", "layer_step",
                                 "timestep_embed", "iterate_blocks", "diffusion_step", "decode"}) {
    CAPTURE(name);
    Program program;
    for (int i = 0; i < 24; ++i) {
      program.mark(name.ends_with('#') ? name.substr(0, name.size() - 1) + std::to_string(i) : name);
      program.layer();
    }
    const DeviceLeaks leaks = program.leaks();
    CHECK(leaks.steps.is_guess());
    const bool has_name = leaks.steps.source == StepSource::annotation;
    CHECK(guess_note(leaks.steps)
              .starts_with(has_name ? "these are a guess: not each" : "these are a guess, from stacks"));
    CHECK(leaks.grows.empty());
    CHECK(leaks.doubt == Doubt::one_pass);
    CHECK(gate_of(leaks, 0) == Gate::no_steps);
    CHECK(leaks_text("mem.pickle", end_of(program.recording()), {leaks}).find("A leak") == std::string::npos);
  }
}

TEST_CASE("the layers of one backward pass are no steps") {
  Program program;
  for (int i = 0; i < 24; ++i)
    program.layer();
  for (int i = 0; i < 24; ++i) {
    program.mark("FSDP::pre_backward");
    program.take(3 * kMiB, program.backward());
    program.free(program.take(kMiB, program.backward()), kMiB);
  }
  const DeviceLeaks leaks = program.leaks();
  CHECK(leaks.grows.empty());
  CHECK(gate_of(leaks, 0) == Gate::no_steps);
}

TEST_CASE("marks of steps are those with a forward and a backward pass each, though layers have marks as well") {
  for (const bool has_cpp_frames : {true, false}) { // the engine's thread has no frames of Python
    CAPTURE(has_cpp_frames);
    Program program(has_cpp_frames);
    for (int i = 0; i < 30; ++i) {
      program.mark("my_loop");
      program.step("FSDP::post_forward");
      program.leak(512);
    }
    const DeviceLeaks leaks = program.leaks();
    CHECK(leaks.steps.name == "my_loop");
    CHECK(!leaks.steps.is_guess());
    REQUIRE(leaks.grows.size() == 1);
    CHECK(leaks.grows[0].trend.confidence == Confidence::high);
    CHECK(leaks.bytes_per_step() == 512);
    CHECK(gate_of(leaks, 511) == Gate::exceeded);
  }
}

TEST_CASE("only whole words speak of steps") {
  Program program;
  for (int i = 0; i < 20; ++i) {
    program.mark("train_step");
    if (i % 4 == 0) program.mark("BatchNorm2d");
    if (i % 4 == 1) program.mark("timestep_embed");
    program.step("layer");
  }
  const DeviceLeaks leaks = program.leaks();
  CHECK(leaks.steps.name == "train_step");
  CHECK(leaks.steps.starts.size() == 20);
}

TEST_CASE("steps without marks are the turns that have both passes, not their layers") {
  Program program;
  for (int i = 0; i < 4; ++i)
    program.step("layer");
  const DeviceLeaks leaks = program.leaks();
  CHECK(leaks.steps.source == StepSource::repetition);
  CHECK(leaks.steps.have_both_passes);
  CHECK(leaks.steps.starts.size() == 4);
}

TEST_CASE("a mark for each part of a model that is loaded is no step") {
  Program program;
  for (int i = 0; i < 30; ++i) {
    program.mark("load_batch_of_weights");
    program.take(20 * kMiB, program.forward());
    program.free(program.take(20 * kMiB, kNoFrames), 20 * kMiB);
  }
  const DeviceLeaks leaks = program.leaks();
  CHECK(leaks.grows.empty());
  CHECK(gate_of(leaks, 0) == Gate::no_steps);
}

TEST_CASE("what is replaced by a larger block in each step is no leak") {
  Program program;
  std::uint64_t cache = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    program.mark("ProfilerStep#" + std::to_string(i));
    const std::uint64_t larger = program.take((64 + i) * 1024, program.forward());
    if (i > 0) program.free(cache, (63 + i) * 1024);
    cache = larger;
  }
  const DeviceLeaks leaks = program.leaks();
  CHECK(leaks.grows.empty());
  REQUIRE(leaks.replaced.size() == 1);
  CHECK(leaks.replaced[0].end_blocks == 1);
  CHECK(gate_of(leaks, 0) == Gate::passes);
  const std::string text = leaks_text("mem.pickle", end_of(program.recording()), {leaks});
  CHECK(text.find("1 stack grows but leaves nothing behind: 1 stack looked at in 40 steps") != std::string::npos);
  CHECK(text.find("Replaced by larger blocks step by step, nothing left behind") != std::string::npos);
}

TEST_CASE("functions that run in both passes are part of no backward pass") {
  test::SmallSnapshot builder;
  const StackId forward = builder.stack({"/app/a.py:1:forward_backward_step", "/app/a.py:2:forward"});
  const StackId hook = builder.stack({"/app/a.py:1:forward_backward_step", "/app/fsdp.py:3:_post_backward_hook"});
  const StackId again = builder.stack({"/torch/utils/checkpoint.py:5:unpack_hook", "/app/a.py:2:forward"});
  for (const StackId stack : {forward, hook, again, forward})
    builder.event(Action::alloc, 0x1000, 512, stack);
  const Recording recording = builder.take();
  const auto changes = PassFinder(recording.frames).changes_in(recording.events_of(DeviceId{0}));
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].before == 0);
  CHECK(changes[0].after == 1);
  CHECK(changes[1].before == 2);
  CHECK(changes[1].after == 3);
}

} // namespace memviz
