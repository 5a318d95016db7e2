#include "story/accounts.hpp"

#include <doctest/doctest.h>
#include <span>
#include <vector>

using namespace memviz;

TEST_CASE("devices_text") {
  const std::vector<DeviceState> devices{{.device = {3}}, {.device = {4}}};
  CHECK(devices_text({}) == "no GPU");
  CHECK(devices_text(std::span(devices).first(1)) == "GPU 3");
  CHECK(devices_text(devices) == "2 GPUs");
}

TEST_CASE("balance_text") {
  DeviceFigures figures;
  figures.events = 30;
  figures.baseline_bytes = 1024;
  figures.alloc_bytes = 4096;
  figures.free_bytes = 2048;
  figures.end_requested_bytes = 3072;
  figures.end_block_bytes = 3072;
  CHECK(balance_text(figures) == "Accounts balance: 1.00 KiB before recording + 4.00 KiB allocated − 2.00 KiB freed = "
                                 "3.00 KiB requested at the end.");
  SUBCASE("what may be lost in the ring is not certain to be from before") {
    figures.may_have_lost_events = true;
    CHECK(balance_text(figures).starts_with("Accounts balance: 1.00 KiB before recording or lost in the ring + 4.00"));
  }
  SUBCASE("when the blocks hold something else") {
    figures.end_block_bytes = 1024;
    figures.imbalance_bytes = 2048;
    CHECK(balance_text(figures) == "Accounts do not balance: 1.00 KiB before recording + 4.00 KiB allocated − 2.00 KiB "
                                   "freed = 3.00 KiB, but the blocks active at the end hold 1.00 KiB (+2.00 KiB).");
    figures.requested_bytes = 4096;
    CHECK(balance_text(figures).find("active at the end hold 1.00 KiB (+2.00 KiB).") != std::string::npos);
  }
  SUBCASE("without events") {
    figures.events = 0;
    CHECK(balance_text(figures) == "No events in this file: it shows what is held, but not since when, nor the peak.");
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

TEST_CASE("sum_of adds up every total of the devices, and their peaks") {
  const MemoryTotals totals{.segments = 1,
                            .blocks = 2,
                            .reserved_bytes = 300,
                            .allocated_bytes = 40,
                            .pending_free_bytes = 30,
                            .inactive_bytes = 200,
                            .unaccounted_bytes = 10,
                            .requested_bytes = 65,
                            .outside_bytes = 5};
  std::vector<DeviceState> devices{{.device = {0}, .figures = {totals, {}}}, {.device = {1}, .figures = {totals, {}}}};
  devices[0].figures.peak_requested_bytes = 70;
  devices[1].figures.peak_requested_bytes = 65;
  const DeviceFigures sum = sum_of(devices);
  CHECK(sum.segments == 2);
  CHECK(sum.blocks == 4);
  CHECK(sum.reserved_bytes == 600);
  CHECK(sum.allocated_bytes == 80);
  CHECK(sum.pending_free_bytes == 60);
  CHECK(sum.inactive_bytes == 400);
  CHECK(sum.unaccounted_bytes == 20);
  CHECK(sum.requested_bytes == 130);
  CHECK(sum.outside_bytes == 10);
  CHECK(sum.peak_requested_bytes == 135);
}
