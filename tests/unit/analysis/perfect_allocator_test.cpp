#include "memviz/perfect_allocator.hpp"

#include "story/perfect_allocator_words.hpp"

#include <cstdint>
#include <doctest/doctest.h>

using namespace memviz;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// At its peak, after event 7 of 9.
DeviceState at_peak(std::uint64_t requested_mib, std::uint64_t reserved_mib) {
  DeviceState device;
  device.moment = {MomentKind::peak, EventIndex(7), {}, {}};
  device.peak_event = EventIndex(7);
  device.figures.events = 9;
  device.figures.requested_bytes = device.figures.peak_requested_bytes = requested_mib * kMiB;
  device.figures.reserved_bytes = reserved_mib * kMiB;
  return device;
}

} // namespace

TEST_CASE("what a perfect allocator needs is the peak of requested bytes, whatever is reserved") {
  const auto perfect = perfect_allocator(at_peak(2210, 2240));
  REQUIRE(perfect.has_value());
  CHECK(perfect->needed_bytes == 2210 * kMiB);
  CHECK(perfect_allocator_text(*perfect) ==
        "a perfect allocator needs 2.16 GiB of the 2.19 GiB, so no setting saves more than 30.0 MiB");
}

TEST_CASE("a request that failed counts, and what was free on the device as well") {
  DeviceState device = at_peak(900, 1000);
  device.moment.kind = MomentKind::oom;
  device.moment.asked_bytes = 60 * kMiB;
  const auto enough = perfect_allocator(device, 10 * kMiB);
  REQUIRE(enough.has_value());
  CHECK(enough->needed_bytes == 960 * kMiB);
  CHECK(enough->available_bytes == 1010 * kMiB);
  device.moment.asked_bytes = 200 * kMiB;
  CHECK(perfect_allocator_text(perfect_allocator(device, 10 * kMiB).value()) ==
        "even a perfect allocator needs 1.07 GiB, more than the 1,010 MiB that PyTorch can have");
}

TEST_CASE("where all that is reserved is needed, no setting saves any of it") {
  CHECK(perfect_allocator_text(perfect_allocator(at_peak(1000, 1000)).value()) ==
        "a perfect allocator needs the whole 1,000 MiB, so no setting saves any of it");
}

TEST_CASE("nothing is said of a perfect allocator where its figure is unknown") {
  DeviceState device = at_peak(900, 1000);
  SUBCASE("without events") {
    device.figures.events = 0;
  }
  SUBCASE("before the peak") {
    device.moment.event = EventIndex(3);
  }
  SUBCASE("memory was returned since the peak") {
    device.figures.reserved_bytes = 800 * kMiB;
  }
  SUBCASE("the accounts do not balance") {
    device.figures.imbalance_bytes = 1;
  }
  SUBCASE("a request failed, and what was free on the device is unknown") {
    device.moment.kind = MomentKind::oom;
  }
  SUBCASE("host memory") {
    device.device = kHostDevice;
  }
  CHECK_FALSE(perfect_allocator(device).has_value());
}
