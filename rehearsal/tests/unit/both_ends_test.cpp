#include "run/both_ends.hpp"
#include "verdict/fit_words.hpp"

#include <csignal>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

namespace memviz::rehearse {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// A run that reads a value at train.py:5, known if it is computed.
RunFacts reading(std::uint64_t peak_bytes, std::uint64_t compiled_frames) {
  RunFacts facts;
  facts.used_cuda = true;
  facts.uses = {{.pid = 7, .device = {0}, .total_bytes = 1024 * kMiB, .peak_bytes = peak_bytes}};
  facts.decisions = {{.line = "train.py:5", .count = 1}};
  facts.compiled_frames = compiled_frames;
  return facts;
}

RunFacts with_other_reads(RunFacts facts) {
  facts.other_reads = 1;
  return facts;
}

FitVerdict ended(RunFacts facts, const Setup& setup, int exit_code = 0) {
  FitVerdict verdict;
  verdict.ending = {.exit_code = exit_code};
  verdict.computes_values = setup.values == Values::on;
  verdict.outcome = outcome_of(verdict.ending, facts);
  verdict.facts = std::move(facts);
  return verdict;
}

/// Rehearses a program whose two runs end with these facts.
FitVerdict of_both(const RunFacts& zeros, const RunFacts& values, int exit_code_with_zeros = 0) {
  Setup setup;
  setup.say = [](const std::string&) {};
  const auto verdicts = rehearse_both_ways(setup, [&](const Setup& one, const Variables&) {
    const bool is_values = one.values == Values::on;
    return std::vector{ended(is_values ? values : zeros, one, is_values ? 0 : exit_code_with_zeros)};
  });
  REQUIRE(verdicts.size() == 1);
  return verdicts.front();
}

bool notes_say(const FitVerdict& verdict, const std::string& part) {
  for (const std::string& note : notes(verdict))
    if (note.find(part) != std::string::npos) return true;
  return false;
}

} // namespace

TEST_CASE("a signal in the run with values ends the search as well") {
  const RunFacts zeros = reading(100 * kMiB, 0);
  CHECK_FALSE(is_interrupted(of_both(zeros, zeros)));
  Setup setup;
  setup.say = [](const std::string&) {};
  const auto verdicts = rehearse_both_ways(setup, [&](const Setup& one, const Variables&) {
    FitVerdict verdict = ended(zeros, one);
    if (one.values == Values::on) {
      verdict.ending.signal = SIGTERM;
      verdict.outcome = FitOutcome::failed;
    }
    return std::vector{verdict};
  });
  CHECK(is_interrupted(verdicts.front()));
  CHECK(verdicts.front().outcome == FitOutcome::fits);
}

TEST_CASE("a search needs no run with zeros where one has shown that values are enough") {
  const RunFacts zeros = reading(100 * kMiB, 0);
  CHECK(need_values_alone(of_both(zeros, zeros)));
  CHECK(need_values_alone(of_both(zeros, with_other_reads(reading(90 * kMiB, 0)))));
  CHECK_FALSE(need_values_alone(of_both(zeros, reading(90 * kMiB, 0)))); // disturbed
  CHECK_FALSE(need_values_alone(of_both(reading(100 * kMiB, 3), zeros)));
  RunFacts values = zeros;
  values.decisions.front().unknown_count = 1;
  CHECK_FALSE(need_values_alone(of_both(zeros, values)));
  values.decisions = {{.line = "train.py:5", .count = 1, .made_up_count = 1}};
  CHECK_FALSE(need_values_alone(of_both(zeros, values)));
  CHECK_FALSE(need_values_alone(ended(zeros, Setup()))); // the program reads nothing
}

TEST_CASE("a run with values is the answer only if computing them disturbed nothing") {
  SUBCASE("it read other values than zeros") {
    const FitVerdict verdict = of_both(reading(100 * kMiB, 4), with_other_reads(reading(150 * kMiB, 4)));
    CHECK(verdict.computes_values);
    CHECK(peak_of(verdict) == 150 * kMiB);
    CHECK(verdict.other_values->disturbance == Disturbance::none);
  }
  SUBCASE("all values that it read were zeros, and yet its peak differs") {
    const FitVerdict verdict = of_both(reading(100 * kMiB, 4), reading(150 * kMiB, 4));
    CHECK_FALSE(verdict.computes_values);
    CHECK(peak_of(verdict) == 100 * kMiB);
    CHECK(headline(verdict).starts_with("Fits"));
    CHECK(notes_say(verdict, "every value that it read was zero"));
  }
  SUBCASE("the compiler compiled nothing with it") {
    const FitVerdict verdict = of_both(reading(100 * kMiB, 4), with_other_reads(reading(150 * kMiB, 0)));
    CHECK_FALSE(verdict.computes_values);
    CHECK(peak_of(verdict) == 100 * kMiB);
    CHECK(headline(verdict).starts_with("May fit"));
    CHECK(headline(verdict).find("unknown unless the values that it reads at train.py:5") != std::string::npos);
    CHECK(notes_say(verdict, "does not compile the program"));
  }
  SUBCASE("the compiler compiled nothing with it, and no other run is requested") {
    Setup setup;
    setup.values = Values::on;
    RunFacts facts = with_other_reads(reading(150 * kMiB, 0));
    facts.is_left_uncompiled = true;
    const auto verdicts =
        rehearse_both_ways(setup, [&](const Setup& one, const Variables&) { return std::vector{ended(facts, one)}; });
    REQUIRE(verdicts.size() == 1);
    CHECK(headline(verdicts.front()).starts_with("May fit"));
    CHECK(headline(verdicts.front()).find("The memory that the compiled program takes is unknown.") !=
          std::string::npos);
    CHECK(notes_say(verdicts.front(), "the figures here are those without it. Omit --values=on"));
    facts.is_left_uncompiled = false;
    CHECK(headline(ended(facts, setup)).starts_with("Fits"));
  }
  SUBCASE("the compiler compiled nothing with it, and there is no answer with zeros") {
    const FitVerdict verdict = of_both(reading(100 * kMiB, 4), with_other_reads(reading(150 * kMiB, 0)), 1);
    CHECK_FALSE(verdict.computes_values);
    CHECK(verdict.outcome == FitOutcome::failed);
  }
}

} // namespace memviz::rehearse
