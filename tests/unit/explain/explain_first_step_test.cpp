#include "story/explain_words.hpp"
#include "story/first_step_words.hpp"
#include "support/contains.hpp"
#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

using test::one_contains;
using test::SmallSnapshot;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kTrainingAt = 0x10000000;

/// A training step in which memory runs out: 100 MiB of parameters, then what a test adds.
class Training {
public:
  Training() { add(100 * kMiB, MemoryKind::parameter, made_.stack({"/torch/nn/modules/module.py:9:_apply"})); }

  Training& add(std::uint64_t bytes, MemoryKind kind, StackId stack) {
    address_ += std::uint64_t{1} << 32U;
    made_.time(time_us_ += 10).event(Action::alloc, address_, bytes, stack);
    made_.segment(address_, bytes).active(bytes, bytes, stack);
    kinds_.push_back({kind, KindEvidence::frames});
    return *this;
  }
  Training& add(std::uint64_t bytes, MemoryKind kind, const std::vector<std::string_view>& frames) {
    return add(bytes, kind, made_.stack(frames));
  }
  Training& forward(std::uint64_t bytes) { return add(bytes, MemoryKind::activation, forward_); }
  Training& backward(std::uint64_t bytes) { return add(bytes, MemoryKind::gradient, backward_); }
  Training& mark(std::string_view name) {
    made_.time(time_us_ += 10).mark(name);
    return *this;
  }
  /// Fails to allocate 50 MiB where the device has as many free, and explains it.
  DeviceExplanation fail(std::uint64_t free_bytes) { return fail(free_bytes, 50 * kMiB, forward_); }
  DeviceExplanation fail(std::uint64_t free_bytes, std::uint64_t bytes, const std::vector<std::string_view>& frames) {
    return fail(free_bytes, bytes, made_.stack(frames));
  }
  [[nodiscard]] ExplanationText words(const DeviceExplanation& device) const { return in_words(state_, device); }

private:
  DeviceExplanation fail(std::uint64_t free_bytes, std::uint64_t bytes, StackId stack) {
    made_.time(time_us_ += 10).event(Action::oom, free_bytes, bytes, stack);
    state_ = test::state_at(recording_ = made_.take(), {.kind = MomentKind::automatic});
    test::set_kinds(state_, kinds_);
    return explain(state_, {}).at(0);
  }

  SmallSnapshot made_;
  StackId forward_ = made_.stack({"/app/train.py:20:main", "/app/model.py:2:forward"});
  StackId backward_ = made_.stack({"/torch/engine.cpp:9:torch::autograd::Engine::execute()"});
  std::vector<KindOf> kinds_;
  Recording recording_;
  MemoryState state_;
  std::int64_t time_us_ = 1000;
  std::uint64_t address_ = kTrainingAt;
};

using Frames = std::vector<std::string_view>;

const Frames kLayer{"/app/train.py:20:main", "/torch/nn/modules/module.py:9:_call_impl", "/app/model.py:2:forward"};
const Frames kMlp{"/app/train.py:20:main", "/torch/nn/modules/module.py:9:_call_impl", "/app/model.py:5:mlp"};
const Frames kScores{"/app/train.py:20:main", "/torch/nn/modules/module.py:9:_call_impl", "/app/model.py:7:attention"};
const Frames kSoftmax{"/app/train.py:20:main", "/torch/nn/modules/module.py:9:_call_impl", "/app/model.py:8:attention",
                      "/torch/aten.cpp:1:at::softmax()"};
const Frames kLoss{"/app/train.py:21:main", "/torch/nn/functional.py:9:cross_entropy"};

const Cause& cause_of(const DeviceExplanation& device, CauseKind kind) {
  const auto found = std::ranges::find(device.causes, kind, &Cause::kind);
  REQUIRE(found != device.causes.end());
  return *found;
}

} // namespace

TEST_CASE("in a first forward pass gradients and the usual optimizer's state are still to come") {
  Training training;
  const DeviceExplanation device = training.forward(80 * kMiB).fail(10 * kMiB);
  REQUIRE(device.first_step);
  const FirstStep& step = *device.first_step;
  CHECK(step.parameter_bytes == 100 * kMiB);
  CHECK(step.gradients_to_come_bytes == 100 * kMiB);
  CHECK(step.optimizer.empty());
  CHECK(step.state_to_come_bytes == 200 * kMiB);
  CHECK(step.needed_bytes == 400 * kMiB);
  CHECK(step.available_bytes == 190 * kMiB);
  CHECK(step.missing_bytes == 210 * kMiB);
  REQUIRE(step.levers.size() == 2);
  CHECK(step.levers[0].lever == Lever::smaller_state);
  CHECK(step.levers[0].bytes == 200 * kMiB);
  CHECK(step.levers[1].lever == Lever::smaller_batch);
  CHECK(step.levers[1].bytes == 40 * kMiB);
  const ExplanationText words = training.words(device);
  CHECK(one_contains(words.reasons, "If it is part of training, the step still needs at least 100 MiB of gradients, if "
                                    "all 100 MiB of parameters are trained, and 200 MiB of optimizer state"));
  CHECK(one_contains(words.reasons, "For the whole step at least 210 MiB is missing."));
  CHECK(one_contains(words.does_not_help, "A smaller optimizer state frees about 200 MiB, and the step lacks at least "
                                          "210 MiB."));
  CHECK(words.advice.back().find("memviz rehearse --gpu PROFILE --steps 2") != std::string::npos);
}

TEST_CASE("what was made in the step already is no longer to come") {
  Training training;
  const DeviceExplanation device =
      training.mark("Optimizer.zero_grad#RMSprop.zero_grad").forward(80 * kMiB).backward(30 * kMiB).fail(400 * kMiB);
  REQUIRE(device.first_step);
  CHECK(device.first_step->gradients_to_come_bytes == 70 * kMiB);
  CHECK(device.first_step->optimizer == "RMSprop");
  CHECK(device.first_step->state_to_come_bytes == 100 * kMiB);
  CHECK(device.first_step->needed_bytes == 300 * kMiB);
}

TEST_CASE("in the optimizer's first step gradients show what is trained") {
  Training training;
  training.forward(80 * kMiB).backward(40 * kMiB).mark("Optimizer.step#AdamW.step");
  const DeviceExplanation device = training.fail(0);
  REQUIRE(device.first_step);
  CHECK(device.first_step->gradients_to_come_bytes == 0);
  CHECK(device.first_step->state_to_come_bytes == 80 * kMiB);
}

TEST_CASE("nothing is still to come after the first step, and without training") {
  SUBCASE("a second pass") {
    CHECK_FALSE(Training().forward(kMiB).backward(kMiB).forward(kMiB).backward(kMiB).fail(0).first_step);
  }
  SUBCASE("an optimizer's state is there") {
    Training training;
    training.add(200 * kMiB, MemoryKind::optimizer_state, kNoFrames);
    CHECK_FALSE(training.forward(kMiB).fail(0).first_step);
  }
  SUBCASE("a forward pass that keeps nothing") {
    CHECK_FALSE(Training().fail(0).first_step);
  }
}

TEST_CASE("a first step says what is missing where something is") {
  FirstStep step;
  step.shows_training = true;
  step.parameter_bytes = 100 * kMiB;
  step.needed_bytes = 400 * kMiB;
  step.available_bytes = 500 * kMiB;
  step.gradients_to_come_bytes = 100 * kMiB;
  const std::string text =
      "This looks like the first training step. It still needs at least 100 MiB of gradients, if all 100 MiB "
      "of parameters are trained. Parameters, gradients and optimizer state together take at least 400 MiB; PyTorch "
      "can have 500 MiB.";
  CHECK(first_step_text(step) == text);
  step.missing_bytes = kMiB;
  CHECK(first_step_text(step) == text + " For the whole step at least 1.00 MiB is missing.");
}

TEST_CASE("a first forward pass without a backward pass or an optimizer may be one that needs no gradients") {
  const DeviceExplanation forward = Training().forward(80 * kMiB).fail(0);
  REQUIRE(forward.first_step);
  CHECK_FALSE(forward.first_step->shows_training);
  CHECK(first_step_text(*forward.first_step)
            .starts_with("This looks like the first forward pass: no backward pass and no optimizer has run. If it is "
                         "part of training, the step still needs at least "));
  CHECK(Training().forward(80 * kMiB).backward(40 * kMiB).fail(0).first_step->shows_training);
  const auto shared = test::shared_folder();
  if (!shared) return;
  const std::string answer =
      test::run({"explain", "--quiet", (*shared / "probes/findings4/truth/explain/infer_no_guard.pickle").string()})
          .out;
  CHECK(answer.find("run it under torch.no_grad()") != std::string::npos);
  CHECK(answer.find("first training step") == std::string::npos);
}

TEST_CASE("the scores of attention are of the function that calls softmax, not all blocks of their size") {
  Training training;
  training.add(64 * kMiB, MemoryKind::activation, kScores).add(64 * kMiB, MemoryKind::activation, kSoftmax);
  training.add(64 * kMiB, MemoryKind::activation, kMlp);
  const DeviceExplanation device = training.fail(kMiB, 64 * kMiB, kSoftmax);
  CHECK(cause_of(device, CauseKind::attention_scores).bytes == 3 * 64 * kMiB);
}

TEST_CASE("softmax is not of attention outside a module, and not where a loss has its size") {
  Training training;
  Frames softmax = kSoftmax;
  SUBCASE("outside a module") {
    softmax.erase(softmax.begin() + 1);
  }
  SUBCASE("outside a module, and its backward pass") {
    softmax.erase(softmax.begin() + 1);
    training.add(64 * kMiB, MemoryKind::temporary,
                 {"/torch/engine.cpp:9:torch::autograd::Engine::execute()",
                  "/torch/softmax.cpp:9:torch::autograd::generated::SoftmaxBackward0::apply"});
  }
  SUBCASE("a loss of its size") {
    training.add(64 * kMiB, MemoryKind::activation, kLoss);
  }
  training.add(64 * kMiB, MemoryKind::activation, softmax);
  const std::vector<Cause> causes = training.fail(kMiB, 64 * kMiB, softmax).causes;
  CHECK(std::ranges::find(causes, CauseKind::attention_scores, &Cause::kind) == causes.end());
}

TEST_CASE("the scores of three layers are attention, though a loss has their size") {
  Training training;
  training.add(64 * kMiB, MemoryKind::activation, kLoss);
  training.add(64 * kMiB, MemoryKind::activation, kSoftmax).add(64 * kMiB, MemoryKind::activation, kSoftmax);
  training.add(64 * kMiB, MemoryKind::activation, kSoftmax);
  CHECK(cause_of(training.fail(kMiB), CauseKind::attention_scores).bytes == 3 * 64 * kMiB);
}

TEST_CASE("softmax in plain functions is attention where no module calls it, and three are alive") {
  const Frames softmax{"/app/train.py:20:main", "/app/model.py:8:attention", "/torch/aten.cpp:1:at::softmax()"};
  for (const int layers : {2, 3}) {
    Training training;
    training.add(kMiB, MemoryKind::activation, kLayer);
    for (int i = 0; i < layers; ++i)
      training.add(64 * kMiB, MemoryKind::activation, softmax);
    const std::vector<Cause> causes = training.fail(kMiB).causes;
    const auto found = std::ranges::find(causes, CauseKind::attention_scores, &Cause::kind);
    CHECK((found != causes.end()) == (layers == 3));
  }
}

TEST_CASE("need_weights=False is advised where nn.MultiheadAttention itself calls softmax") {
  const std::string_view attention = "/torch/nn/functional.py:6:multi_head_attention_forward";
  for (const bool is_own : {true, false}) {
    Training training;
    Frames frames{kLayer[0], kLayer[1], attention};
    if (is_own) frames.emplace_back("/torch/nn/functional.py:2:softmax");
    frames.emplace_back("/torch/aten.cpp:1:at::_softmax()"); // also of scaled_dot_product_attention
    training.add(64 * kMiB, MemoryKind::activation, frames);
    CHECK(cause_of(training.fail(kMiB), CauseKind::attention_scores).is_own_attention == is_own);
  }
}

TEST_CASE("a pass that trains what an optimizer updates is hardly an evaluation: no_grad() is the last advice") {
  Training training;
  for (const std::string_view line :
       {"/app/model.py:2:f", "/app/model.py:3:f", "/app/model.py:4:f", "/app/model.py:5:f", "/app/model.py:6:f"})
    for (int i = 0; i < 3; ++i)
      training.add(20 * kMiB, MemoryKind::activation, {kLayer[0], kLayer[1], line});
  DeviceExplanation device = training.fail(10 * kMiB);
  const auto is_no_grad = [](const std::string& advice) { return advice.find("torch.no_grad()") != std::string::npos; };
  REQUIRE(device.causes.front().kind == CauseKind::activations);
  CHECK(is_no_grad(training.words(device).advice.front()));
  device.causes.front().is_first_training = true;
  const std::vector<std::string> advice = training.words(device).advice;
  CHECK_FALSE(is_no_grad(advice.front()));
  CHECK(is_no_grad(advice.back()));
}

TEST_CASE("in a first step a setting is advised after what gains more, and before what gains less") {
  Training training;
  DeviceExplanation device = training.forward(100 * kMiB).fail(10 * kMiB);
  REQUIRE(device.first_step);
  WhatIf setting;
  setting.circumstance = Circumstance::expandable_segments;
  setting.outcome = Outcome::fits;
  setting.prospect = Prospect::goes_on;
  device.what_ifs = {setting};
  device.first_step->levers = {{.lever = Lever::checkpointing, .bytes = 90 * kMiB, .is_enough = true},
                               {.lever = Lever::settings, .bytes = 60 * kMiB},
                               {.lever = Lever::smaller_batch, .bytes = 50 * kMiB, .is_enough = true}};
  const std::vector<std::string> advice = training.words(device).advice;
  REQUIRE(advice.size() >= 3);
  CHECK(advice[0].find("torch.utils.checkpoint") != std::string::npos);
  CHECK(advice[1].find("expandable_segments:True") != std::string::npos);
  CHECK(advice[2].find("batch") != std::string::npos);
}

TEST_CASE("advice against a cause says what a first step still lacks without it") {
  Training training;
  training.mark("Optimizer.zero_grad#RMSprop.zero_grad").add(300 * kMiB, MemoryKind::activation, kLayer);
  training.add(100 * kMiB, MemoryKind::unknown, kLoss);
  SUBCASE("nothing") {
    const DeviceExplanation device = training.fail(900 * kMiB, 1000 * kMiB, kLoss);
    CHECK(cause_of(device, CauseKind::logits).without.is_enough());
    CHECK(one_contains(training.words(device).advice, "so that no copy of all logits exists."));
    CHECK_FALSE(one_contains(training.words(device).advice, "as well."));
  }
  SUBCASE("a part that half the batch frees") {
    const DeviceExplanation device = training.fail(300 * kMiB, 310 * kMiB, kLoss);
    const StepEffect& without = cause_of(device, CauseKind::logits).without;
    // 200 MiB last. A pass holds 300 MiB, the gradient of as much, an eighth of the loss, and 200 MiB for the last
    // layer.
    CHECK(without.missing_bytes == 1000 * kMiB + 410 * kMiB / 8 - 800 * kMiB);
    CHECK(without.batch_divisor == 2);
    CHECK(one_contains(training.words(device).advice,
                       "The step then still lacks about 251 MiB: halve the batch or the length of sequences as well."));
  }
  SUBCASE("more than any batch frees") {
    const DeviceExplanation device = training.fail(20 * kMiB, 100 * kMiB, kLoss);
    CHECK(cause_of(device, CauseKind::logits).without.batch_divisor == 0);
  }
}

TEST_CASE("momentum that an optimizer of unknown state has begun to make is still to come for the other parameters") {
  Training training;
  training.forward(80 * kMiB).backward(100 * kMiB).mark("Optimizer.step#SGD.step");
  training.add(40 * kMiB, MemoryKind::optimizer_state, Frames{"/app/train.py:30:main"});
  const DeviceExplanation device = training.fail(0);
  REQUIRE(device.first_step);
  CHECK(device.first_step->state_to_come_bytes == 60 * kMiB);
}

} // namespace memviz
