#include "story/kind_totals.hpp"
#include "story/kinds_advice.hpp"

#include <doctest/doctest.h>
#include <vector>

using namespace memviz;

namespace {

constexpr std::uint64_t kMiB = 1ULL << 20U;
constexpr std::uint64_t kGiB = 1ULL << 30U;

KindAmount& amount_of(KindAccount& account, MemoryKind kind) {
  return account[static_cast<std::size_t>(kind)];
}

struct Held {
  MemoryKind kind;
  std::uint64_t bytes;
};

KindAccount account_of(const std::vector<Held>& held) {
  KindAccount account;
  for (const Held& one : held)
    amount_of(account, one.kind).bytes = one.bytes;
  return account;
}

/// A device on which all memory in use has kinds.
DeviceExplanation explained(const KindAccount& kinds, Verdict verdict) {
  DeviceExplanation device;
  device.kinds = kinds;
  for (const KindAmount& amount : kinds)
    device.device_state.figures.requested_bytes += amount.bytes;
  device.judgement.verdict = verdict;
  return device;
}

const std::vector<Held> kTraining{{MemoryKind::activation, 71 * kGiB},
                                  {MemoryKind::optimizer_state, 20 * kGiB},
                                  {MemoryKind::parameter, 8 * kGiB},
                                  {MemoryKind::unknown, 1 * kGiB}};

} // namespace

TEST_CASE("shares of kinds come largest first, and the unknown share last") {
  CHECK(kind_shares_text(account_of(kTraining)) ==
        "71.0 % activations, 20.0 % optimizer state, 8.0 % parameters; 1.0 % unknown");
  CHECK(kind_shares_text(account_of({{MemoryKind::gradient, kMiB}, {MemoryKind::parameter_or_state, 3 * kMiB}})) ==
        "75.0 % parameters and optimizer state, 25.0 % gradients");
  CHECK(kind_shares_text(account_of({{MemoryKind::unknown, kMiB}})) == "");
  CHECK(kind_shares_text({}) == "");
}

TEST_CASE("the parts of an account are all of it") {
  KindAccount account = account_of(kTraining);
  amount_of(account, MemoryKind::parameter_or_state).bytes = 50 * kGiB;
  std::uint64_t bytes = 0;
  for (const KindPart& part : kind_parts(account))
    bytes += part.bytes;
  CHECK(bytes == 150 * kGiB);
  CHECK(kind_parts(account)[1].kind == MemoryKind::parameter_or_state);
  CHECK(kind_parts(account).back().kind == MemoryKind::unknown);
}

TEST_CASE("growth is reported by kind, largest first, without what is next to nothing") {
  const KindAccount before = account_of({{MemoryKind::activation, 100 * kMiB}, {MemoryKind::gradient, 50 * kMiB}});
  KindAccount after = account_of({{MemoryKind::activation, 400 * kMiB},
                                  {MemoryKind::gradient, 40 * kMiB},
                                  {MemoryKind::input, 1 * kMiB},
                                  {MemoryKind::parameter, 5 * kMiB}});
  const std::vector<KindChange> changes = kind_changes(before, after);
  REQUIRE(changes.size() == 4);
  CHECK(kind_changes_text(changes) == "activations +300 MiB, gradients −10.0 MiB, parameters +5.00 MiB");
  CHECK(kind_changes(account_of({{MemoryKind::unknown, 7}}), {}).empty());
}

TEST_CASE("advice by kind is given where memory was short, of what is much of it") {
  SUBCASE("with the figures, where nothing failed") {
    const auto advice = kinds_advice(explained(account_of(kTraining), Verdict::in_use));
    REQUIRE(advice.size() == 2);
    CHECK(
        advice[0].starts_with("Keep fewer activations (71.0 GiB, 71.0 % of requested memory): activation checkpoint"));
    CHECK(advice[1].starts_with("Make the optimizer's state smaller (20.0 GiB, 20.0 % of requested memory): shard it"));
  }
  SUBCASE("of those alone of which half would have been enough for a request that failed") {
    DeviceExplanation device = explained(account_of(kTraining), Verdict::exhaustion);
    device.request = Request{};
    device.judgement.missing_bytes = device.judgement.alone_bytes = 15 * kGiB;
    const auto advice = kinds_advice(device);
    REQUIRE(advice.size() == 1);
    CHECK(advice[0] == "Keep fewer activations (71.0 GiB, 71.0 % of requested memory; 15.0 GiB was missing): a smaller "
                       "batch, shorter sequences."); // what checkpointing frees is unknown
  }
  SUBCASE("of parameters and an optimizer's state together, where they cannot be distinguished") {
    const auto advice = kinds_advice(explained(
        account_of({{MemoryKind::gradient, kGiB}, {MemoryKind::parameter_or_state, 9 * kGiB}}), Verdict::in_use));
    REQUIRE(advice.size() == 1);
    CHECK(advice[0].starts_with("Make parameters and the optimizer's state smaller (9.00 GiB, 90.0 %"));
  }
  SUBCASE("of a server's KV cache, which fills the device on purpose, only where a request failed") {
    const KindAccount serving = account_of({{MemoryKind::parameter, 15 * kGiB}, {MemoryKind::kv_cache, 60 * kGiB}});
    CHECK(kinds_advice(explained(serving, Verdict::in_use)).empty());
    DeviceExplanation device = explained(serving, Verdict::exhaustion);
    device.request = Request{};
    device.judgement.missing_bytes = device.judgement.alone_bytes = 8 * kGiB;
    const auto advice = kinds_advice(device);
    REQUIRE(advice.size() == 1);
    CHECK(
        advice[0].starts_with("Make the KV cache smaller (60.0 GiB, 80.0 % of requested memory; 8.00 GiB was missing): "
                              "a lower gpu_memory_utilization in vLLM, a lower mem_fraction_static in SGLang"));
  }
  SUBCASE("none of a few MiB that nothing asked for") {
    CHECK(kinds_advice(explained(account_of({{MemoryKind::activation, 900 * kMiB}}), Verdict::in_use)).empty());
  }
  SUBCASE("none where nothing failed and much of what is reserved is free") {
    DeviceExplanation device = explained(account_of(kTraining), Verdict::in_use);
    device.ledger.reserved_bytes = 150 * kGiB;
    device.ledger.live_bytes = 100 * kGiB;
    CHECK(kinds_advice(device).empty());
  }
  SUBCASE("none where memory was in pieces") {
    CHECK(kinds_advice(explained(account_of(kTraining), Verdict::fragmentation)).empty());
  }
  SUBCASE("of a KV cache where memory was in pieces, but almost all that PyTorch held was live") {
    const KindAccount serving = account_of({{MemoryKind::parameter, 15 * kGiB}, {MemoryKind::kv_cache, 60 * kGiB}});
    DeviceExplanation device = explained(serving, Verdict::fragmentation);
    device.request = Request{};
    device.judgement.missing_bytes = kGiB / 4;
    device.ledger.reserved_bytes = 77 * kGiB;
    device.ledger.live_bytes = 75 * kGiB;
    CHECK(kinds_advice(device).at(0).starts_with("Make the KV cache smaller (60.0 GiB, 80.0 %"));
    device.ledger.live_bytes = 70 * kGiB;
    CHECK(kinds_advice(device).empty());
  }
  SUBCASE("none where it is unknown") {
    CHECK(kinds_advice(explained(account_of({{MemoryKind::unknown, kMiB}}), Verdict::in_use)).empty());
  }
}
