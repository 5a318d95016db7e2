#include "analysis/causes/repeated_state.hpp"

#include <doctest/doctest.h>
#include <utility>
#include <vector>

namespace memviz {

namespace {

constexpr StackId kState{2};

/// The blocks of a program: a model, then state that lines made, and backward passes.
class Program {
public:
  Program& model(const std::vector<std::uint64_t>& sizes, MemoryKind kind = MemoryKind::parameter) {
    return add(sizes, {1}, kind, plain_);
  }
  Program& state(const std::vector<std::uint64_t>& sizes, StackId stack = kState) {
    return add(sizes, stack, MemoryKind::optimizer_state, plain_);
  }
  Program& loaded_state(const std::vector<std::uint64_t>& sizes) {
    return add(sizes, kState, MemoryKind::optimizer_state, loading_);
  }
  Program& old_state(const std::vector<std::uint64_t>& sizes) {
    state(sizes);
    for (std::size_t i = blocks_.size() - sizes.size(); i < blocks_.size(); ++i)
      blocks_[i].alloc_event = {};
    return *this;
  }
  Program& backward() {
    backward_.emplace_back(events_++);
    return *this;
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> found() const {
    const Cause cause = repeated_state(blocks_, backward_);
    return {cause.calls, cause.bytes};
  }

private:
  static CallLines of_marks(std::uint64_t marks) {
    CallLines lines;
    lines.marks = marks;
    return lines;
  }
  Program& add(const std::vector<std::uint64_t>& sizes, StackId stack, MemoryKind kind, const CallLines& lines) {
    for (const std::uint64_t bytes : sizes) {
      blocks_.push_back({EventIndex(events_), 0x1000 * (events_ + 1), bytes, stack, kind, &lines});
      ++events_;
    }
    return *this;
  }

  CallLines plain_ = {};
  CallLines loading_ = of_marks(mark::load_state);
  std::vector<LiveBlock> blocks_;
  std::vector<EventIndex> backward_;
  std::uint64_t events_ = 0;
};

const std::vector<std::uint64_t> kModel{40, 20, 20};
constexpr std::pair<std::uint64_t, std::uint64_t> kNone{0, 0};

} // namespace

TEST_CASE("state that a line made anew for all parameters is of several optimizers") {
  Program program;
  program.model(kModel);
  for (int i = 0; i < 3; ++i)
    program.backward().state(kModel);
  CHECK(program.found() == std::pair<std::uint64_t, std::uint64_t>{3, 240});
  program.backward().state({40}); // the fourth has just begun
  CHECK(program.found() == std::pair<std::uint64_t, std::uint64_t>{3, 280});
  // A small state that a line makes more often does not count the optimizers.
  Program scalars;
  scalars.model(kModel).model({4, 4});
  for (int i = 0; i < 5; ++i)
    scalars.backward().state({4, 4}, {3}).state({4, 4}, {3});
  scalars.backward().state(kModel).backward().state(kModel);
  CHECK(scalars.found().first == 2);
}

TEST_CASE("state of one optimizer is not repeated") {
  CHECK(Program().model(kModel).backward().state(kModel).found() == kNone);
  CHECK(Program().model(kModel).backward().state({40, 40, 20, 20, 20, 20}).found() == kNone); // two states of each
  CHECK(Program().model({40}).backward().state({40, 40}).found() == kNone);
  CHECK(Program().model({20, 20}).backward().state({20, 20, 20, 20}).found() == kNone); // first all of one, or of all
  CHECK(Program().model({20, 10}).backward().state({40, 20}).backward().state({40, 20}).found() == kNone); // float32
  CHECK(Program().model(kModel).backward().loaded_state(kModel).backward().loaded_state(kModel).found() == kNone);
  CHECK(Program().model(kModel).old_state(kModel).backward().old_state(kModel).found() == kNone);
  CHECK(Program().backward().state(kModel).backward().state(kModel).found() == kNone);
  CHECK(Program().model(kModel).found() == kNone);
}

TEST_CASE("models that are not recognised may have the other optimizers") {
  Program program;
  program.model(kModel).backward().state(kModel).model(kModel, MemoryKind::unknown).backward().state(kModel);
  CHECK(program.found() == kNone);
}

} // namespace memviz
