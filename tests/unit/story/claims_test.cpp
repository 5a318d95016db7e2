#include "memviz/explain.hpp"
#include "story/accounts.hpp"
#include "story/explain_verdict.hpp"

#include <doctest/doctest.h>

// Sentences that claim something of everything or nothing, each next to a state for which it would be false.

using namespace memviz;

namespace {

constexpr std::uint64_t kClaimMiB = std::uint64_t{1} << 20U;

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
