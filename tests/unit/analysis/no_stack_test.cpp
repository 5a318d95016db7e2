#include "analysis/tree/no_stack_account.hpp"
#include "story/accounts.hpp"
#include "story/no_stack_words.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>

// Memory without a stack, at any moment, in one account.

using namespace memviz;
using namespace memviz::test;

namespace {

const Stack kCppAndPython{"/src/c10/cuda/CUDACachingAllocator.cpp:1:malloc", "/home/me/train.py:7:forward"};

/// 900 bytes that are in the file without a stack, 500 that are freed by the third event, and a recorded allocation.
SnapshotBuilder without_stacks() {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096)
      .set("segment_type", "small")
      .active(1024, 900)
      .active(1024, 800, kCppAndPython)
      .inactive(2048);
  builder.alloc(0x1400, 800, kCppAndPython).free(0x1C00, 500);
  return builder;
}

NoStackAccount account_of(const MemoryState& state) {
  const std::vector<UserLine> lines = rank_user_lines(state, {});
  return no_stack_account(lines);
}

MomentChoice at(MomentKind kind) {
  return {.kind = kind, .event = {}, .time_us = 0, .annotation = {}, .device = std::nullopt};
}

} // namespace

TEST_CASE("a block that the file has without a stack is from before recording, at every moment") {
  for (const MomentKind moment : {MomentKind::end, MomentKind::peak, MomentKind::event}) {
    Recording snapshot = without_stacks().read();
    const MemoryState replay = state_at(snapshot, at(moment));
    CAPTURE(moment_kind_name(replay.devices[0].moment.kind));
    std::uint64_t from_before = 0;
    for (const UserLine& reason : account_of(replay).reasons)
      if (reason.key == NodeKey(Pseudo::before_recording)) from_before = reason.amount.bytes;
    CHECK(from_before == 900);
  }
}

TEST_CASE("the account of what has no stack is one figure, and its parts say why") {
  Recording snapshot = without_stacks().read();
  const MemoryState replay = state_at(snapshot, at(MomentKind::peak));
  const NoStackAccount account = account_of(replay);
  CHECK(account.total == Amount{1400, 2});
  REQUIRE(account.reasons.size() == 2);
  CHECK(account.reasons[0].key == NodeKey(Pseudo::before_recording));
  CHECK(account.reasons[1].key == NodeKey(Pseudo::lost_or_before));
  CHECK(no_stack_text(account) ==
        "no stack: 900 B allocated before recording, 500 B allocated before recording or lost in the ring");
  const auto by_device = no_stack_accounts(replay);
  REQUIRE(by_device.size() == 1);
  CHECK(by_device[0].total == account.total);
  CHECK(by_device[0].reasons.size() == account.reasons.size());
}

TEST_CASE("the reason of most of what has no stack comes first") {
  const std::vector<UserLine> lines{{.key = Pseudo::before_recording, .amount = {500, 1}},
                                    {.key = Pseudo::without_stack, .amount = {900, 1}}};
  CHECK(no_stack_account(lines).reasons.front().key == NodeKey(Pseudo::without_stack));
}

TEST_CASE("whether the baseline may be lost history is said of each device") {
  const auto stats_of = [](const SnapshotBuilder& builder) {
    const Recording snapshot = builder.read();
    return end_of(snapshot).devices[0].figures;
  };
  CHECK(baseline_text(stats_of(without_stacks())) == "before recording or lost in the ring");
  SUBCASE("not where the file says that nothing was overwritten") {
    CHECK(baseline_text(stats_of(without_stacks().set(
              "allocator_settings", dict({{"trace_alloc_overflowed", false}})))) == "before recording");
  }
  SUBCASE("not where the ring had room left") {
    const auto settings = dict({{"trace_alloc_overflowed", true}, {"trace_alloc_max_entries", 100}});
    CHECK(baseline_text(stats_of(without_stacks().set("allocator_settings", settings))) == "before recording");
  }
  SUBCASE("a block with a stack and without an alloc proves it") {
    SnapshotBuilder builder;
    builder.segment(0x1000, 1024).active(1024, 900, kCppAndPython);
    builder.alloc(0x5000, 1).free(0x5000, 1);
    CHECK(stats_of(builder).may_have_lost_events);
  }
}
