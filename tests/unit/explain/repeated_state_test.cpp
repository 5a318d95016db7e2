#include "analysis/causes/repeated_state.hpp"

#include <doctest/doctest.h>
#include <vector>

namespace memviz {

namespace {

constexpr StackId kModel{1};
constexpr StackId kState{2};

/// A model with parameters of these sizes, and blocks of state that one line made.
Cause cause_of(const std::vector<std::uint64_t>& parameters, const std::vector<std::uint64_t>& state) {
  static const CallLines lines;
  std::vector<LiveBlock> blocks;
  const auto add = [&](std::uint64_t bytes, StackId stack, MemoryKind kind) {
    const auto number = blocks.size();
    blocks.push_back({EventIndex(number), 0x1000 * (number + 1), bytes, stack, kind, &lines});
  };
  for (const std::uint64_t bytes : parameters)
    add(bytes, kModel, MemoryKind::parameter);
  for (const std::uint64_t bytes : state)
    add(bytes, kState, MemoryKind::optimizer_state);
  return repeated_state(blocks);
}

} // namespace

TEST_CASE("state that a line made anew for all parameters is of several optimizers") {
  const Cause cause = cause_of({40, 20, 20}, {40, 20, 20, 40, 20, 20, 40, 20, 20, 40});
  CHECK(cause.calls == 3);
  CHECK(cause.bytes == 280);
}

TEST_CASE("state of one optimizer is not repeated") {
  CHECK(cause_of({40, 20, 20}, {40, 20, 20}).bytes == 0);
  CHECK(cause_of({40, 20, 20}, {40, 40, 20, 20, 20, 20}).bytes == 0); // a line that makes two states of each
  CHECK(cause_of({40}, {40, 40}).bytes == 0);
  CHECK(cause_of({20, 10, 10}, {40, 20, 20, 40, 20, 20}).bytes == 0); // float32 for bfloat16
  CHECK(cause_of({}, {40, 40}).bytes == 0);
  CHECK(cause_of({40, 20}, {}).bytes == 0);
}

} // namespace memviz
