#include "story/accounts.hpp"

#include <doctest/doctest.h>

using namespace memviz;

TEST_CASE("devices_text") {
  const auto numbered = [](DeviceId device) { return DeviceStats{{}, {}, device}; };
  CHECK(devices_text({}) == "no GPU");
  CHECK(devices_text({numbered({3})}) == "GPU 3");
  CHECK(devices_text({numbered({0}), numbered({2})}) == "2 GPUs");
}

TEST_CASE("balance_text") {
  DeviceStats stats;
  stats.events = 30;
  stats.baseline_bytes = 1024;
  stats.alloc_bytes = 4096;
  stats.free_bytes = 2048;
  stats.end_requested_bytes = 3072;
  stats.end_block_bytes = 3072;
  CHECK(balance_text(stats) == "Accounts balance: 1.00 KiB before recording + 4.00 KiB allocated − 2.00 KiB freed = "
                               "3.00 KiB requested at the end.");
  SUBCASE("what may be lost in the ring is not certain to be from before") {
    stats.may_have_lost_events = true;
    CHECK(balance_text(stats).starts_with("Accounts balance: 1.00 KiB before recording or lost in the ring + 4.00"));
  }
  SUBCASE("when the blocks hold something else") {
    stats.end_block_bytes = 1024;
    stats.imbalance_bytes = 2048;
    CHECK(balance_text(stats) == "Accounts do not balance: 1.00 KiB before recording + 4.00 KiB allocated − 2.00 KiB "
                                 "freed = 3.00 KiB, but the blocks active at the end hold 1.00 KiB (+2.00 KiB).");
    stats.at.kind = MomentKind::peak;
    stats.requested_bytes = 4096;
    CHECK(balance_text(stats).find("active at the end hold 1.00 KiB (+2.00 KiB).") != std::string::npos);
  }
  SUBCASE("without events") {
    stats.events = 0;
    CHECK(balance_text(stats) ==
          "No events in this file: it says what is held, not since when, nor how high the peak was.");
  }
}

TEST_CASE("missing_stack_notes say what is missing and what helps") {
  const auto line = [](Pseudo reason, std::uint64_t bytes) { return UserLine{reason, {bytes, 1}}; };
  const auto notes = missing_stack_notes({line(Pseudo::before_recording, 1024), line(Pseudo::without_stack, 10)}, 2048);
  REQUIRE(notes.size() == 1); // ten bytes are not worth a sentence
  CHECK(notes[0].starts_with("1.00 KiB has no stack: it was allocated before recording began."));
  CHECK(notes[0].find("_record_memory_history()") != std::string::npos);
  CHECK(missing_stack_notes({line(Pseudo::filtered, 1024)}, 2048).empty());
}

TEST_CASE("sum_of adds devices up") {
  DeviceStats first;
  first.reserved_bytes = 100;
  first.peak_requested_bytes = 70;
  DeviceStats second;
  second.reserved_bytes = 11;
  second.peak_requested_bytes = 5;
  const DeviceStats sum = sum_of({first, second});
  CHECK(sum.reserved_bytes == 111);
  CHECK(sum.peak_requested_bytes == 75);
}
