#include "memviz/explain.hpp"
#include "memviz/fit.hpp"
#include "memviz/fit_words.hpp"
#include "story/accounts.hpp"
#include "story/explain_verdict.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

// Sentences that claim something of everything or nothing, each next to a state for which it would be false.

using namespace memviz;

namespace {

constexpr std::uint64_t kClaimMiB = std::uint64_t{1} << 20U;

bool is_noted(const rehearse::FitVerdict& verdict, const std::string& sentence) {
  const std::vector<std::string> list = rehearse::notes(verdict);
  return std::ranges::any_of(list, [&](const std::string& note) { return note.find(sentence) != std::string::npos; });
}

} // namespace

TEST_CASE("claims: nothing is reserved, and there is nothing to balance, only where that is so") {
  DeviceFigures figures;
  CHECK(use_text(figures) == "nothing reserved");
  CHECK(balance_line(figures) == "no events, so nothing to balance");
  figures.reserved_bytes = kClaimMiB;
  figures.events = 1;
  CHECK(use_text(figures) == "1.00 MiB reserved, 0 % in use");
  CHECK(balance_line(figures).find("nothing to balance") == std::string::npos);
}

TEST_CASE("claims: an empty device, and one in use without anything requested") {
  const FrameTable frames;
  DeviceExplanation device;
  CHECK(verdict_text(frames, device) == "Empty: nothing is reserved.");
  device.judgement.verdict = Verdict::in_use;
  device.ledger.reserved_bytes = 10 * kClaimMiB;
  CHECK(verdict_text(frames, device) == "Partly in use: 0 % of reserved memory is in use, 0 B is free.");
  device.ledger.pending_bytes = 10 * kClaimMiB;
  CHECK(verdict_text(frames, device) == "In use: nothing of it was requested.");
}

TEST_CASE("claims: a program only just fits where PyTorch had to try again, and processes that share a GPU are named") {
  rehearse::FitVerdict verdict;
  verdict.outcome = rehearse::FitOutcome::fits;
  verdict.facts.uses.resize(2);
  for (rehearse::DeviceUse& use : verdict.facts.uses)
    use.total_bytes = use.peak_bytes = 60 * kClaimMiB;
  CHECK_FALSE(is_noted(verdict, "It only just fits: "));
  CHECK(is_noted(verdict,
                 "each of them found all of it free: together they took at most 120 MiB of 60.0 MiB, which may"));
  verdict.facts.uses[0].retries = 1;
  CHECK(is_noted(verdict, "It only just fits: the device had no more memory"));
  verdict.facts.uses.pop_back();
  CHECK_FALSE(is_noted(verdict, "found all of it free"));
}
