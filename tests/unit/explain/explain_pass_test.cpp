#include "analysis/explain/pass_memory.hpp"
#include "story/explain_words.hpp"
#include "story/pass_words.hpp"
#include "support/contains.hpp"
#include "support/explained.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <vector>

// The need of the pass in which a request failed, and the changes that cover it.

namespace memviz {

using test::Explained;
using test::MiB;
using test::one_contains;
using test::SmallSnapshot;

namespace {

constexpr std::uint64_t kGap = std::uint64_t{1} << 32U;

/// A training loop whose blocks have a segment each: 100 MiB of parameters, 40 MiB that the program could do without,
/// and in each pass two activations of 20 MiB and a gradient of 12 MiB.
class Loop {
public:
  Loop() {
    take(kModel, 100 * MiB, once_);
    take(kSpare, 40 * MiB, once_);
  }

  Loop& pass() {
    begin();
    alloc(kSecond, 20 * MiB, second_);
    alloc(kGradient, 12 * MiB, backward_);
    free(kFirst, 20 * MiB);
    free(kSecond, 20 * MiB);
    return *this;
  }
  /// Begins a pass, gives the place of its second activation to a block that stays, and requests that activation.
  Explained fail(std::uint64_t asked_bytes = 20 * MiB) {
    begin();
    alloc(kSecond, 20 * MiB, once_);
    made_.event(Action::oom, 0, asked_bytes, second_);
    made_.segment(kModel, 100 * MiB).active(100 * MiB, 100 * MiB, once_);
    made_.segment(kSpare, 40 * MiB).active(40 * MiB, 40 * MiB, once_);
    made_.segment(kFirst, 20 * MiB).active(20 * MiB, 20 * MiB, first_);
    made_.segment(kSecond, 20 * MiB).active(20 * MiB, 20 * MiB, once_);
    if (passes_ > 1) made_.segment(kGradient, 12 * MiB).inactive(12 * MiB);
    return test::explained(made_.take());
  }

private:
  static constexpr std::uint64_t kModel = kGap;
  static constexpr std::uint64_t kSpare = 2 * kGap;
  static constexpr std::uint64_t kFirst = 3 * kGap;
  static constexpr std::uint64_t kSecond = 4 * kGap;
  static constexpr std::uint64_t kGradient = 5 * kGap;

  void begin() {
    if (passes_++ > 0) free(kGradient, 12 * MiB);
    alloc(kFirst, 20 * MiB, first_);
  }
  void take(std::uint64_t address, std::uint64_t bytes, StackId stack) {
    made_.event(Action::segment_alloc, address, bytes, stack).event(Action::alloc, address, bytes, stack);
  }
  void alloc(std::uint64_t address, std::uint64_t bytes, StackId stack) {
    const bool is_there = passes_ > 1;
    if (is_there)
      made_.event(Action::alloc, address, bytes, stack);
    else
      take(address, bytes, stack);
  }
  void free(std::uint64_t address, std::uint64_t bytes) {
    made_.event(Action::free_requested, address, bytes).event(Action::free_completed, address, bytes);
  }

  SmallSnapshot made_;
  StackId once_ = made_.stack({"/app/train.py:5:main"});
  StackId first_ = made_.stack({"/app/train.py:20:main", "/app/model.py:2:forward"});
  StackId second_ = made_.stack({"/app/train.py:20:main", "/app/model.py:3:forward"});
  StackId backward_ = made_.stack({"/torch/engine.cpp:9:torch::autograd::Engine::execute()"});
  std::uint64_t passes_ = 0;
};

/// Blocks of a pass in the order in which they were allocated.
class Blocks {
public:
  Blocks& add(std::uint64_t mib, std::uint32_t stack, MemoryKind kind = MemoryKind::activation,
              std::uint64_t marks = 0) {
    lines_.push_back(std::make_unique<CallLines>());
    lines_.back()->marks = marks;
    blocks_.push_back({EventIndex(blocks_.size()), 0, mib * MiB, StackId{stack}, kind, lines_.back().get()});
    return *this;
  }
  [[nodiscard]] PassMemory memory() const { return pass_memory(blocks_, EventIndex()); }

private:
  std::vector<std::unique_ptr<CallLines>> lines_;
  std::vector<LiveBlock> blocks_;
};

} // namespace

TEST_CASE("the pass before shows what is still to come after a request") {
  const Explained found = Loop().pass().pass().pass().fail();
  REQUIRE(found.first().pass);
  const PassNeed& pass = *found.first().pass;
  CHECK(pass.basis == PassBasis::pass_before);
  CHECK(pass.passes == 3);
  CHECK(pass.to_come_bytes == 32 * MiB); // the activation and the gradient
  CHECK(pass.available_bytes == 12 * MiB);
  CHECK(pass.missing_bytes() == 20 * MiB);
  CHECK(pass.growth_bytes == 0); // 20 MiB more than one pass before, but not at the pass before that
  CHECK(one_contains(found.words().reasons, "After the same request the pass before rose by 32.0 MiB in all; 12.0 MiB "
                                            "is free, so 20.0 MiB is missing."));
}

TEST_CASE("a change is advised only if the program goes on with it") {
  const Explained found = Loop().pass().pass().pass().fail();
  const WhatIf& without = found.answer(Circumstance::without_blocks);
  CHECK(without.outcome == Outcome::fits);
  CHECK(without.blocks_bytes == 20 * MiB);
  CHECK(without.prospect == Prospect::goes_on);
  CHECK(one_contains(found.words().advice, "the program goes on as in the pass before, with 0 B left"));
}

TEST_CASE("without a pass before, what follows is unknown, and no block is advised") {
  const Explained found = Loop().fail();
  REQUIRE(found.first().pass);
  CHECK(found.first().pass->basis == PassBasis::no_pass);
  CHECK(found.first().pass->to_come_bytes == 20 * MiB);
  CHECK(found.answer(Circumstance::without_blocks).prospect == Prospect::unknown);
  CHECK_FALSE(one_contains(found.words().advice, "Free, shrink"));
}

TEST_CASE("without a pass before, or where the request does not fit, nothing is said to be lacking after it") {
  DeviceExplanation device;
  WhatIf answer;
  answer.outcome = Outcome::fits;
  answer.prospect = Prospect::grows;
  CHECK(shortfall_text(device, answer).empty());
  device.pass.emplace().growth_bytes = MiB;
  CHECK(shortfall_text(device, answer) == ", but each pass leaves 1.00 MiB more behind");
  answer.outcome = Outcome::does_not_fit;
  CHECK(shortfall_text(device, answer).empty());
}

TEST_CASE("a request larger than that of the pass before needs more than the pass before shows") {
  const Explained found = Loop().pass().pass().fail(30 * MiB);
  CHECK(found.first().pass->basis == PassBasis::larger);
  CHECK(found.answer(Circumstance::without_blocks).prospect == Prospect::unknown);
  CHECK(one_contains(found.words().reasons, "The pass before asked for less here, and rose by 42.0 MiB"));
}

TEST_CASE("the rise of the pass before is named only if more than the request is still to come") {
  DeviceExplanation device;
  device.request = Request{};
  device.request->bytes = 20 * MiB;
  device.pass = PassNeed{.basis = PassBasis::no_same_point, .rise_bytes = 30 * MiB, .to_come_bytes = 20 * MiB};
  CHECK(pass_text(device).empty());
  device.pass->to_come_bytes = 21 * MiB;
  CHECK(pass_text(device).starts_with("The pass before rose by 30.0 MiB, this one by 0 B so far."));
}

TEST_CASE("checkpointing frees what layers keep, except one layer and what each hands on") {
  Blocks blocks;
  blocks.add(100, 9, MemoryKind::parameter).add(7, 8, MemoryKind::input);
  for (int layer = 0; layer < 4; ++layer)
    blocks.add(30, 1).add(40, 2).add(10, 3);
  const PassMemory memory = blocks.memory();
  CHECK(memory.kept_bytes == 4 * 80 * MiB);
  CHECK(memory.checkpointing_bytes == (3 * 80 - 4 * 10) * MiB);
}

TEST_CASE("checkpointing frees neither logits, nor what is checkpointed or loaded") {
  Blocks blocks;
  SUBCASE("logits and loss") {
    blocks.add(500, 1, MemoryKind::activation, cause_mark::loss).add(500, 1, MemoryKind::activation, cause_mark::loss);
    blocks.add(400, 2);
  }
  SUBCASE("what was recomputed") {
    constexpr std::uint64_t kMarks = cause_mark::recompute_file | cause_mark::recomputes;
    blocks.add(50, 1, MemoryKind::activation, kMarks).add(50, 1, MemoryKind::activation, kMarks);
  }
  SUBCASE("what each layer hands on") {
    blocks.add(20, 1).add(20, 1).add(20, 1);
  }
  SUBCASE("what torch.load() made") {
    blocks.add(20, 1).add(60, 2, MemoryKind::unknown, mark::checkpoint_file);
    blocks.add(60, 2, MemoryKind::unknown, mark::checkpoint_file);
    CHECK(blocks.memory().loaded_bytes == 120 * MiB);
    CHECK(blocks.memory().kept_bytes == 20 * MiB);
  }
  CHECK(blocks.memory().checkpointing_bytes == 0);
}

} // namespace memviz
