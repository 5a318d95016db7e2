#include "verdict/fit_words.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace memviz::rehearse {

namespace {

constexpr std::uint64_t kLeftBytes = std::uint64_t{1} << 30U;

/// A rehearsal that did not fit, with both changes tried, and three sentences of advice.
FitVerdict failed() {
  FitVerdict verdict;
  verdict.failure.emplace();
  verdict.failure->changes = {FitChange::expandable_segments, FitChange::no_foreach};
  verdict.failure->words.advice = {"Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: this request fits.",
                                   "Create the optimizer with foreach=False or fused=True, which make none.",
                                   "Halve the batch."};
  verdict.failure->words.helps = verdict.failure->words.advice;
  return verdict;
}

} // namespace

TEST_CASE("advice about changes that were tried is what came of them") {
  FitVerdict verdict = failed();
  const std::vector<std::string>& advice = verdict.failure->words.advice;
  SUBCASE("none let the program go on") {
    replace_advice(verdict);
    CHECK(advice == std::vector<std::string>{"Halve the batch."});
  }
  SUBCASE("one runs to its end") {
    verdict.tried = {{.change = FitChange::expandable_segments, .left_bytes = kLeftBytes}};
    replace_advice(verdict);
    CHECK(advice == std::vector<std::string>{"Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: tried, the program "
                                             "runs to its end, 1.00 GiB left.",
                                             "Halve the batch."});
  }
  SUBCASE("one was ended by memviz") {
    verdict.tried = {{.change = FitChange::no_foreach, .left_bytes = 2 * kLeftBytes, .more_steps = 3}};
    replace_advice(verdict);
    CHECK(advice.front() ==
          "Create the optimizer with foreach=False: tried, the program goes on for 3 more steps, 2.00 GiB left.");
  }
  CHECK(verdict.failure->words.helps == advice);
}

} // namespace memviz::rehearse
