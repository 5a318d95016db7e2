#include "verdict/fit_words.hpp"

#include "verdict/fit.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;

namespace {

constexpr std::uint64_t kFitMiB = std::uint64_t{1} << 20U;

bool is_noted(const rehearse::FitVerdict& verdict, const std::string& sentence) {
  const std::vector<std::string> list = rehearse::notes(verdict);
  return std::ranges::any_of(list, [&](const std::string& note) { return note.find(sentence) != std::string::npos; });
}

} // namespace

TEST_CASE("a program only just fits where PyTorch had to try again, and processes that share a GPU are named") {
  rehearse::FitVerdict verdict;
  verdict.outcome = rehearse::FitOutcome::fits;
  verdict.facts.uses.resize(2);
  for (rehearse::DeviceUse& use : verdict.facts.uses)
    use.total_bytes = use.peak_bytes = 60 * kFitMiB;
  verdict.facts.uses[1].peak_all_bytes = 50 * kFitMiB;
  CHECK_FALSE(is_noted(verdict, "It only just fits: "));
  CHECK(is_noted(verdict,
                 "was used by 2 processes, which found taken what the others had: 60.0 MiB of 60.0 MiB at most, at"));
  verdict.facts.uses[0].retries = 1;
  CHECK(is_noted(verdict, "It only just fits: the device had no more memory"));
  verdict.facts.uses.pop_back();
  CHECK_FALSE(is_noted(verdict, "found taken"));
}

TEST_CASE("a program that fails is quoted") {
  rehearse::FitVerdict verdict;
  verdict.outcome = rehearse::FitOutcome::failed;
  verdict.ending.exit_code = 1;
  verdict.facts.error = "ValueError: 1 microbatch for 2 stages";
  CHECK(rehearse::short_text(verdict) ==
        "no answer: the program ended with exit code 1: ValueError: 1 microbatch for 2 stages");
  CHECK(rehearse::deciding_memory(verdict) == verdict.facts.error);
  CHECK(rehearse::headline(verdict) ==
        "No answer: the program ended with exit code 1, for a reason other than memory (ValueError: 1 microbatch for 2 "
        "stages).");
  verdict.ending.signal = 9; // after an error that it caught
  CHECK(rehearse::deciding_memory(verdict) == "the program was ended by SIGKILL");
}

TEST_CASE("a program that used no GPU has no answer, however it ended") {
  rehearse::FitVerdict verdict;
  verdict.outcome = rehearse::FitOutcome::no_gpu;
  CHECK(rehearse::short_text(verdict) == "no answer: no GPU was used");
  CHECK(rehearse::deciding_memory(verdict) == "no GPU was used");
}
