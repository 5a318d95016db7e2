#include "memviz/causes.hpp"

#include "analysis/causes/one_tensor.hpp"
#include "memviz/explain.hpp"
#include "memviz/kinds.hpp"
#include "story/cause_words.hpp"
#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace memviz {

using test::SmallSnapshot;

namespace {

constexpr std::uint64_t kCauseMiB = std::uint64_t{1} << 20U;

/// A program whose model makes blocks in each of its passes; fails to allocate 64 MiB.
class Passes {
public:
  Passes& pass(std::uint64_t bytes, bool is_freed) {
    input(kCauseMiB);
    for (const StackId layer : {first_, second_, first_}) {
      made_.event(Action::alloc, address_, bytes, layer);
      if (is_freed)
        made_.event(Action::free_requested, address_, bytes, layer)
            .event(Action::free_completed, address_, bytes, layer);
      else
        made_.segment(address_, bytes).active(bytes, bytes, layer);
      address_ += std::uint64_t{1} << 32U;
    }
    return *this;
  }
  Passes& backward() {
    made_.event(Action::alloc, address_, kCauseMiB, backward_)
        .event(Action::free_requested, address_, kCauseMiB, backward_)
        .event(Action::free_completed, address_, kCauseMiB, backward_);
    return *this;
  }
  /// Looks at the program in which no request failed.
  [[nodiscard]] DeviceExplanation look(MomentKind moment) {
    state_ = test::state_with_kinds(made_.take(), moment);
    return explain(state_, {}).at(0);
  }
  [[nodiscard]] DeviceExplanation fail() {
    made_.event(Action::oom, 0, 64 * kCauseMiB, first_);
    state_ = test::state_at(recording_ = made_.take(), {.kind = MomentKind::automatic});
    return explain(state_, {}).at(0);
  }
  [[nodiscard]] const FrameTable& frames() const { return state_.frames(); }

private:
  void input(std::uint64_t bytes) {
    made_.event(Action::alloc, address_, bytes, input_)
        .event(Action::free_requested, address_, bytes, input_)
        .event(Action::free_completed, address_, bytes, input_);
  }

  SmallSnapshot made_;
  StackId input_ = made_.stack({"/app/eval.py:12:validate", "/app/data.py:5:batch"});
  StackId first_ = made_.stack({"/app/eval.py:20:<module>", "/app/eval.py:12:validate",
                                "/usr/lib/python3/dist-packages/torch/nn/modules/module.py:9:_call_impl",
                                "/app/model.py:2:forward"});
  StackId second_ = made_.stack({"/app/eval.py:20:<module>", "/app/eval.py:12:validate",
                                 "/usr/lib/python3/dist-packages/torch/nn/modules/module.py:9:_call_impl",
                                 "/app/model.py:3:forward"});
  StackId backward_ = made_.stack({"/torch/engine.cpp:9:torch::autograd::Engine::execute()"});
  Recording recording_;
  MemoryState state_;
  std::uint64_t address_ = 0x10000000;
};

} // namespace

TEST_CASE("a tensor is known in half and in double precision, up to the rounding of requests") {
  const std::uint64_t bytes = 8 * kCauseMiB;
  for (const std::uint64_t same : {bytes, bytes / 2, bytes * 2, bytes + 511, 2 * bytes + 511})
    CHECK(is_same_or_other_precision(same, bytes));
  for (const std::uint64_t other : {bytes / 4, 3 * bytes, 4 * bytes, bytes + 512, 2 * bytes - 512})
    CHECK_FALSE(is_same_or_other_precision(other, bytes));
}

TEST_CASE("causes: passes that are kept without a backward pass are named with their call") {
  Passes program;
  for (int i = 0; i < 5; ++i)
    program.pass(100 * kCauseMiB, false);
  const DeviceExplanation device = program.fail();
  REQUIRE_FALSE(device.causes.empty());
  const Cause& cause = device.causes[0];
  CHECK(cause.kind == CauseKind::kept_graphs);
  CHECK(cause.calls == 4); // the fifth may still run
  CHECK(cause.bytes == 1200 * kCauseMiB);
  CHECK(cause.blocks == 12);
  CHECK_FALSE(cause.has_backward);
  CHECK(called_line_text(program.frames(), cause.line) == "forward model.py:2 ‹ validate eval.py:12");
}

TEST_CASE("causes: a backward pass between them shows that a graph is referred to") {
  Passes program;
  for (int i = 0; i < 5; ++i)
    program.pass(100 * kCauseMiB, false).backward();
  const DeviceExplanation device = program.fail();
  REQUIRE_FALSE(device.causes.empty());
  CHECK(device.causes[0].kind == CauseKind::kept_graphs);
  CHECK(device.causes[0].has_backward);
}

TEST_CASE("causes: outputs that DataParallel gathers on one device are named with the line that called the model") {
  SmallSnapshot made;
  const auto of_parallel = [&](std::string_view inner) {
    return made.stack({"/app/train.py:30:train",
                       "/usr/lib/python3/dist-packages/torch/nn/modules/module.py:9:_call_impl",
                       "/usr/lib/python3/dist-packages/torch/nn/parallel/data_parallel.py:197:forward", inner});
  };
  const StackId gathers = of_parallel("/usr/lib/python3/dist-packages/torch/nn/parallel/scatter_gather.py:133:gather");
  const StackId scatters = of_parallel("/usr/lib/python3/dist-packages/torch/nn/parallel/scatter_gather.py:60:scatter");
  made.event(Action::alloc, 0x10000000, 300 * kCauseMiB, scatters)
      .event(Action::alloc, 0x200000000, 500 * kCauseMiB, gathers)
      .segment(0x10000000, 300 * kCauseMiB)
      .active(300 * kCauseMiB, 300 * kCauseMiB, scatters)
      .segment(0x200000000, 500 * kCauseMiB)
      .active(500 * kCauseMiB, 500 * kCauseMiB, gathers)
      .event(Action::oom, 0, 100 * kCauseMiB, gathers);
  const Recording recording = made.take();
  const MemoryState state = test::state_at(recording, {.kind = MomentKind::automatic});
  const DeviceExplanation device = explain(state, {}).at(0);
  REQUIRE_FALSE(device.causes.empty());
  CHECK(device.causes[0].kind == CauseKind::gathered);
  CHECK(
      cause_text(state.frames(), scope_of(device), device.causes[0]) ==
      "Gathered outputs: 600 MiB (66.7 % with the request) is the outputs of all replicas, which torch.nn.DataParallel "
      "gathers on this device. Its largest line: train train.py:30.");
}

TEST_CASE("causes: a square of values is a broadcast where two tensors of one side's values are alive") {
  constexpr std::uint64_t kSide = 65'536;
  const auto kind_of_first = [](const std::vector<std::uint64_t>& alive, std::string_view maker) {
    SmallSnapshot made;
    std::uint64_t address = 0x10000000;
    for (const std::uint64_t bytes : alive)
      made.segment(address += kCauseMiB, bytes).active(bytes, bytes, made.stack({maker}));
    made.event(Action::oom, 0, kSide * kSide * 4, made.stack({"/app/loss.py:7:loss"}));
    const MemoryState state = test::state_with_kinds(made.take(), MomentKind::automatic);
    const std::vector<Cause> causes = explain(state, {}).at(0).causes;
    return causes.empty() ? "" : cause_name(causes.front().kind);
  };
  CHECK(kind_of_first({kSide * 4, kSide * 4}, "/app/loss.py:6:loss") == "large_request");
  CHECK(kind_of_first({kSide * 4, kSide * 8}, "/app/loss.py:6:loss") == "large_request"); // promoted
  CHECK(kind_of_first({kSide * 4}, "/app/loss.py:6:loss") == "");
  CHECK(kind_of_first({kSide * 8, kSide * 8}, "/app/loss.py:6:loss") == "");
  // Parameters are operands of no such broadcast.
  CHECK(kind_of_first({kSide * 4, kSide * 4}, "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:9:__init__") !=
        "large_request");
}

TEST_CASE("causes: what a checkpoint recomputes is named with the line that called the checkpoint") {
  constexpr std::string_view kCheckpoint = "/usr/lib/python3/dist-packages/torch/utils/checkpoint.py";
  SmallSnapshot made;
  const auto runs_forward = [&](const std::string& call, std::string_view function) {
    return made.stack({"/app/train.py:9:<module>", call, fmt::format("{}:519:checkpoint", kCheckpoint),
                       "/torch/python.cpp:1:torch::call", function});
  };
  const StackId other = runs_forward("/app/net.py:31:other", "/app/net.py:20:head");
  const StackId wanted = runs_forward("/app/net.py:30:body", "/app/net.py:12:layers");
  const StackId recomputes = made.stack({fmt::format("{}:1688:recompute_fn", kCheckpoint), "/app/net.py:14:layers"});
  made.event(Action::alloc, 0x10000000, kCauseMiB, wanted)
      .event(Action::alloc, 0x10800000, kCauseMiB, other)
      .event(Action::alloc, 0x200000000, 500 * kCauseMiB, recomputes)
      .segment(0x10000000, kCauseMiB)
      .active(kCauseMiB, kCauseMiB, wanted)
      .segment(0x10800000, kCauseMiB)
      .active(kCauseMiB, kCauseMiB, other)
      .segment(0x200000000, 500 * kCauseMiB)
      .active(500 * kCauseMiB, 500 * kCauseMiB, recomputes)
      .event(Action::oom, 0, 100 * kCauseMiB, recomputes);
  const MemoryState state = test::state_with_kinds(made.take(), MomentKind::automatic);
  const DeviceExplanation device = explain(state, {}).at(0);
  REQUIRE_FALSE(device.causes.empty());
  CHECK(device.causes[0].kind == CauseKind::recomputed);
  CHECK(called_line_text(state.frames(), device.causes[0].line) == "layers net.py:14 ‹ body net.py:30");
}

TEST_CASE("causes: passes of which most are freed are not kept") {
  Passes program;
  for (int i = 0; i < 5; ++i)
    program.pass(100 * kCauseMiB, i % 2 == 0);
  program.pass(100 * kCauseMiB, true).pass(100 * kCauseMiB, true).pass(100 * kCauseMiB, false);
  CHECK_FALSE(has_mistake(program.fail()));
}

TEST_CASE("causes: eight passes that are kept are named although no request failed, five are not") {
  Passes program;
  for (int i = 0; i < 9; ++i)
    program.pass(100 * kCauseMiB, false);
  const DeviceExplanation device = program.look(MomentKind::end);
  REQUIRE(device.causes.size() == 1);
  CHECK(device.causes[0].kind == CauseKind::kept_graphs);
  CHECK(device.causes[0].calls == 8); // the ninth may still run
  CHECK(device.causes[0].bytes == 2400 * kCauseMiB);

  Passes few;
  for (int i = 0; i < 5; ++i)
    few.pass(100 * kCauseMiB, false);
  CHECK(few.look(MomentKind::end).causes.empty());
}

TEST_CASE("causes: what is freed later in the recording is not kept") {
  for (const bool is_freed : {true, false}) {
    SmallSnapshot made;
    const StackId output = made.stack({"/app/serve.py:4:<module>", "/app/serve.py:9:answer"});
    const auto address_of = [](std::uint64_t i) { return 0x10000000 + i * 64 * kCauseMiB; };
    for (std::uint64_t i = 0; i < 10; ++i) {
      const StackId input = made.stack({"/app/serve.py:4:<module>", "/app/serve.py:3:read"});
      made.event(Action::alloc, 0x1000, 512, input).event(Action::free_completed, 0x1000, 512, input);
      made.event(Action::alloc, address_of(i), 32 * kCauseMiB, output).segment(address_of(i), 32 * kCauseMiB);
      if (is_freed)
        made.inactive(32 * kCauseMiB);
      else
        made.active(32 * kCauseMiB, 32 * kCauseMiB, output);
    }
    for (std::uint64_t i = 0; is_freed && i < 10; ++i)
      made.event(Action::free_completed, address_of(i), 32 * kCauseMiB, output);
    const MemoryState state = test::state_with_kinds(made.take(), MomentKind::peak);
    const DeviceExplanation device = explain(state, {}).at(0);
    CHECK(device.device_state.figures.requested_bytes == 320 * kCauseMiB);
    CHECK(device.causes.size() == (is_freed ? 0 : 1));
  }
}

TEST_CASE("causes: blocks that layers make in their constructors are not kept outputs") {
  SmallSnapshot made;
  const StackId layer =
      made.stack({"/app/train.py:1:<module>", "/app/model.py:9:__init__", "/app/layer.py:3:__init__"});
  const StackId other = made.stack({"/app/train.py:1:<module>", "/app/model.py:9:__init__", "/app/norm.py:3:__init__"});
  std::uint64_t address = 0x10000000;
  for (int i = 0; i < 24; ++i, address += 64 * kCauseMiB) {
    const StackId stack = i % 2 == 0 ? layer : other;
    made.event(Action::alloc, address, 32 * kCauseMiB, stack).segment(address, 32 * kCauseMiB);
    made.active(32 * kCauseMiB, 32 * kCauseMiB, stack);
  }
  made.event(Action::oom, 0, 64 * kCauseMiB, other);
  CHECK(explain(test::state_with_kinds(made.take(), MomentKind::automatic), {}).at(0).causes.empty());
}

namespace {

/// A program whose line makes and frees blocks of these sizes, of which the largest are cut by a small one that stays.
DeviceExplanation with_sizes(const std::vector<std::uint64_t>& sizes) {
  SmallSnapshot made;
  const StackId line = made.stack({"/app/train.py:9:step", "/app/model.py:2:forward"});
  std::uint64_t address = 0x10000000;
  for (const std::uint64_t bytes : sizes) {
    made.event(Action::segment_alloc, address, bytes, line)
        .event(Action::alloc, address, bytes, line)
        .event(Action::free_requested, address, bytes, line)
        .event(Action::free_completed, address, bytes, line)
        .segment(address, bytes)
        .inactive(bytes);
    address += std::uint64_t{1} << 32U;
  }
  return explain(test::state_with_kinds(made.take(), MomentKind::end), {}).at(0);
}

} // namespace

TEST_CASE("causes: a line that asks for ever new sizes explains what is reserved in vain") {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < 12; ++i)
    sizes.push_back((100 + i) * kCauseMiB);
  const DeviceExplanation device = with_sizes(sizes);
  REQUIRE(device.causes.size() == 1);
  const Cause& cause = device.causes[0];
  CHECK(cause.kind == CauseKind::varying_sizes);
  CHECK(cause.bytes == (1266 - 111) * kCauseMiB); // all segments, less the most requested at once
  CHECK(cause.calls == 12);
  CHECK(cause.sizes == 12);

  // The layers of a fixed shape repeat their sizes.
  CHECK(with_sizes({100 * kCauseMiB, 200 * kCauseMiB, 300 * kCauseMiB, 100 * kCauseMiB, 200 * kCauseMiB,
                    300 * kCauseMiB, 100 * kCauseMiB, 200 * kCauseMiB, 300 * kCauseMiB})
            .causes.empty());
}

TEST_CASE("causes: growth from step to step is named by explain and leaks alike") {
  const std::filesystem::path leaking = test::testdata() / "leaks" / "every_fourth.pickle";
  const MemoryState state = test::state_with_kinds(test::read_file(leaking), MomentKind::automatic);
  const std::vector<DeviceExplanation> devices = explain(state, {});
  REQUIRE(devices.size() == 1);
  REQUIRE(devices[0].causes.size() == 1);
  CHECK(devices[0].causes[0].kind == CauseKind::growth);
  CHECK(devices[0].causes[0].bytes == std::uint64_t{32} * 1310745); // 1.25 MiB in each of 32 steps
  CHECK(called_line_text(state.frames(), devices[0].causes[0].line) == "evaluate evaluate.py:44 ‹ step train.py:60");
}

TEST_CASE("causes: a cache that fills once, and cycles that are freed late, are no mistakes") {
  for (const std::string name : {"buckets", "clean", "clean_marked", "cycles", "last_four", "one_pass", "hidden"}) {
    CAPTURE(name);
    const MemoryState state =
        test::state_with_kinds(test::read_file(test::testdata() / "leaks" / (name + ".pickle")), MomentKind::automatic);
    for (const DeviceExplanation& device : explain(state, {}))
      CHECK(device.causes.empty());
  }
}

TEST_CASE("causes: what one pass made is usual, and no mistake") {
  Passes program;
  program.pass(500 * kCauseMiB, false);
  const DeviceExplanation device = program.fail();
  REQUIRE(device.causes.size() == 1);
  CHECK(device.causes[0].kind == CauseKind::activations);
  CHECK(device.causes[0].bytes == 1500 * kCauseMiB);
  CHECK(device.causes[0].to_come_bytes == 0); // without parameters
  CHECK_FALSE(has_mistake(device));
}

} // namespace memviz
