#include "memviz/causes.hpp"

#include "memviz/explain.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "story/cause_words.hpp"
#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

using test::SmallSnapshot;

namespace {

constexpr std::uint64_t kCauseMiB = std::uint64_t{1} << 20U;

/// A recording of a mistake on an H200, its first cause, and the line that the answer names.
struct RecordedMistake {
  std::string file;
  CauseKind kind;
  std::string line;
};

const std::vector<RecordedMistake>& recorded_mistakes() {
  static const std::vector<RecordedMistake> all{
      {"attention_scores", CauseKind::attention_scores, "forward attention_scores.py:10"},
      {"best_copies", CauseKind::copied_weights, "keep_best best_copies.py:8"},
      {"broadcast_nxn", CauseKind::large_request, "regression_loss broadcast_nxn.py:7"},
      {"gan_no_detach", CauseKind::kept_graphs, "critic_step gan_no_detach.py:8"},
      {"logits_float", CauseKind::logits, "loss_of_tokens logits_float.py:14"},
      {"running_loss", CauseKind::kept_graphs, "epoch running_loss.py:8"},
      {"slice_keeps_base", CauseKind::kept_outputs, "last_logits slice_keeps_base.py:8"},
      {"validate_keeps", CauseKind::kept_graphs, "validate validate_keeps.py:10"},
  };
  return all;
}

/// Recordings of ../shared, and the first cause of each.
const std::vector<std::pair<std::string, CauseKind>>& shared_mistakes() {
  static const std::vector<std::pair<std::string, CauseKind>> all{
      {"causes/snapshots/adamw_foreach.pickle.zst", CauseKind::foreach_temporaries},
      {"causes/snapshots/attention_scores.pickle.zst", CauseKind::attention_scores},
      {"causes/snapshots/best_copies.pickle.zst", CauseKind::copied_weights},
      {"causes/snapshots/broadcast_nxn.pickle.zst", CauseKind::large_request},
      {"causes/snapshots/caught_oom.pickle.zst", CauseKind::earlier_failure},
      {"causes/snapshots/checkpoint_whole.pickle.zst", CauseKind::recomputed},
      {"causes/snapshots/dataset_on_gpu.pickle.zst", CauseKind::made_at_once},
      {"causes/snapshots/fp32_by_default.pickle.zst", CauseKind::weights},
      {"causes/snapshots/gan_no_detach.pickle.zst", CauseKind::kept_graphs},
      {"causes/snapshots/hook_stores.pickle.zst", CauseKind::kept_outputs},
      {"causes/snapshots/kv_cat.pickle.zst", CauseKind::concatenation},
      {"causes/snapshots/load_on_gpu.pickle.zst", CauseKind::loaded_weights},
      {"causes/snapshots/logits_float.pickle.zst", CauseKind::logits},
      {"causes/snapshots/lora_not_frozen.pickle.zst", CauseKind::training_state},
      {"causes/snapshots/outside.pickle.zst", CauseKind::outside},
      {"causes/snapshots/rnn_state.pickle.zst", CauseKind::kept_graphs},
      {"causes/snapshots/running_loss.pickle.zst", CauseKind::kept_graphs},
      {"causes/snapshots/slice_keeps_base.pickle.zst", CauseKind::kept_outputs},
      {"causes/snapshots/validate_keeps.pickle.zst", CauseKind::kept_graphs},
      {"causes/snapshots/varying_lengths.pickle.zst", CauseKind::varying_sizes},
      {"probes/findings4/field/caught_exception_keeps_attempts.pickle", CauseKind::earlier_failure},
      {"probes/findings4/field/eval_keeps_predictions.pickle", CauseKind::kept_outputs},
      {"probes/findings4/field/eval_without_no_grad.pickle", CauseKind::kept_graphs},
      {"probes/findings4/field/foreach_adamw_oom.pickle", CauseKind::foreach_temporaries},
      {"probes/findings4/field/logits_oom.pickle", CauseKind::logits},
      {"probes/findings4/field/logits_oom_checkpointed.pickle", CauseKind::logits},
      {"probes/findings4/field/outside_94_percent.pickle", CauseKind::outside},
      {"probes/findings4/field/retain_graph_no_steps.pickle.gz", CauseKind::kept_graphs},
      {"probes/findings4/truth/explain/ema_copy.pickle", CauseKind::copied_weights},
      {"probes/findings4/truth/explain/eval_without_no_grad.pickle", CauseKind::kept_graphs},
      {"probes/findings4/truth/explain/first_step.pickle", CauseKind::activations},
      {"probes/findings4/truth/explain/infer_no_guard.pickle", CauseKind::activations},
      {"probes/findings4/truth/explain/prealloc.pickle", CauseKind::activations},
      {"probes/findings4/truth/explain/retained_graph.pickle", CauseKind::kept_graphs},
  };
  return all;
}

MemoryState with_kinds(Recording recording, MomentKind moment) {
  KindWatch watch;
  MemoryState state = rewind(std::make_shared<const Recording>(std::move(recording)), {.kind = moment}, &watch);
  add_kinds(state, watch);
  return state;
}

/// Returns the state at the error, with kinds.
MemoryState state_of(const std::filesystem::path& path) {
  return with_kinds(test::read_file(path), MomentKind::automatic);
}

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
    state_ = with_kinds(made_.take(), moment);
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

TEST_CASE("causes: the first cause of mistakes recorded on a GPU is the mistake") {
  for (const RecordedMistake& mistake : recorded_mistakes()) {
    CAPTURE(mistake.file);
    const MemoryState state = state_of(test::testdata() / "causes" / ("h200_" + mistake.file + ".pickle.zst"));
    const std::vector<DeviceExplanation> devices = explain(state, {});
    REQUIRE(devices.size() == 1);
    REQUIRE_FALSE(devices[0].causes.empty());
    const Cause& first = devices[0].causes.front();
    CHECK(cause_name(first.kind) == cause_name(mistake.kind));
    CHECK_MESSAGE(called_line_text(state.frames(), first.line).find(mistake.line) != std::string::npos,
                  called_line_text(state.frames(), first.line));
    CHECK(has_mistake(devices[0]));
    CHECK_FALSE(is_request_the_problem(devices[0]));
  }
}

TEST_CASE("causes: the first cause of audited mistakes is the mistake") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  for (const std::pair<std::string, CauseKind>& mistake : shared_mistakes()) {
    CAPTURE(mistake.first);
    const MemoryState state = state_of(*shared / mistake.first);
    const std::vector<DeviceExplanation> devices = explain(state, {});
    REQUIRE_FALSE(devices.empty());
    REQUIRE_FALSE(devices[0].causes.empty());
    CHECK(cause_name(devices[0].causes.front().kind) == cause_name(mistake.second));
  }
}

TEST_CASE("causes: what an audited pass and an optimizer had still to make is named") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  const std::vector<std::pair<std::string, std::uint64_t>> to_come_bytes{
      {"truth/explain/first_step.pickle", 19 * 184'320'000ULL},   // of 12 layers with two blocks each, 5 are there
      {"truth/explain/infer_no_guard.pickle", 9 * 65'536'000ULL}, // of 24, 15
      {"field/foreach_adamw_oom.pickle", 419'049'472ULL},         // of 674,357,248 bytes of gradients
  };
  for (const auto& program : to_come_bytes) {
    CAPTURE(program.first);
    const MemoryState state = state_of(*shared / "probes/findings4" / program.first);
    CHECK(explain(state, {}).at(0).causes.at(0).to_come_bytes == program.second);
  }
}

TEST_CASE("causes: training state says how much of the parameters is trained") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  const MemoryState state = state_of(*shared / "causes/snapshots/lora_not_frozen.pickle.zst");
  const DeviceExplanation device = explain(state, {}).at(0);
  CHECK(cause_text(state.frames(), scope_of(device), device.causes.at(0)) ==
        "Training state: 1.24 GiB (63.7 %) is gradients and the optimizer's state. The gradients are as large as all "
        "parameters, 661 MiB. Its largest line: train common.py:56 ‹ <module> lora_not_frozen.py:23.");
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
  const MemoryState state = with_kinds(made.take(), MomentKind::automatic);
  const DeviceExplanation device = explain(state, {}).at(0);
  REQUIRE_FALSE(device.causes.empty());
  CHECK(device.causes[0].kind == CauseKind::recomputed);
  CHECK(called_line_text(state.frames(), device.causes[0].line) == "layers net.py:14 ‹ body net.py:30");
}

TEST_CASE("causes: the line of the script is the caller if there is no other") {
  const auto shared = test::shared_folder();
  if (!shared) return;
  const MemoryState state = state_of(*shared / "causes/snapshots/rnn_state.pickle.zst");
  CHECK(called_line_text(state.frames(), explain(state, {}).at(0).causes.at(0).line) ==
        "window rnn_state.py:9 ‹ <module> rnn_state.py:15");
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
    const MemoryState state = with_kinds(made.take(), MomentKind::peak);
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
  CHECK(explain(with_kinds(made.take(), MomentKind::automatic), {}).at(0).causes.empty());
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
  return explain(with_kinds(made.take(), MomentKind::end), {}).at(0);
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
  const MemoryState state = state_of(leaking);
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
    const MemoryState state = state_of(test::testdata() / "leaks" / (name + ".pickle"));
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
