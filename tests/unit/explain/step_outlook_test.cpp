#include "memviz/step_outlook.hpp"

#include <doctest/doctest.h>

namespace memviz {

namespace {

/// A step of 100 bytes that last and 10 of workspaces, with a pass and an update.
StepEffect effect(std::uint64_t kept_bytes, std::uint64_t pass_bytes, std::uint64_t update_bytes,
                  std::uint64_t room_bytes) {
  return step_effect({.lasting_bytes = 100,
                      .fixed_bytes = 10,
                      .kept_bytes = kept_bytes,
                      .pass_bytes = pass_bytes,
                      .update_bytes = update_bytes,
                      .room_bytes = room_bytes});
}

} // namespace

TEST_CASE("a step with a sixteenth left has enough memory") {
  const StepEffect enough = effect(0, 40, 0, 160);
  CHECK(enough.is_enough());
  CHECK(enough.missing_bytes == 0);
  CHECK(enough.left_bytes == 10);
  const StepEffect just_short = effect(0, 41, 0, 160);
  CHECK_FALSE(just_short.is_enough());
  CHECK(just_short.missing_bytes == 0);
  CHECK(just_short.left_bytes == 9);
  CHECK(just_short.batch_divisor == 2);
}

TEST_CASE("a step that lacks memory says by how much, and which part of the batch would be enough") {
  const StepEffect short_step = effect(0, 160, 0, 160);
  CHECK(short_step.missing_bytes == 110);
  CHECK(short_step.batch_divisor == 4);
}

TEST_CASE("a smaller batch divides neither gradients nor what an optimizer makes") {
  CHECK(effect(40, 8, 0, 160).batch_divisor == 0);
  CHECK(effect(0, 8, 41, 160).batch_divisor == 0);
  CHECK(effect(36, 8, 36, 160).batch_divisor == 2);
}

TEST_CASE("without a device's size nothing is known of a step") {
  CHECK_FALSE(effect(0, 1, 0, 0).is_known);
}

} // namespace memviz
