#include "memviz/gauges.hpp"

#include <doctest/doctest.h>

using namespace memviz;

namespace {

DeviceState device(std::uint32_t number, std::uint64_t peak_bytes, std::uint64_t end_bytes, std::uint64_t events = 5) {
  DeviceState device_state;
  device_state.device = {number};
  device_state.figures.peak_requested_bytes = peak_bytes;
  device_state.figures.end_requested_bytes = end_bytes;
  device_state.figures.events = events;
  return device_state;
}

std::vector<DeviceReadings> readings(const std::vector<DeviceState>& before, const std::vector<DeviceState>& after) {
  return readings_of({before, {}}, {after, {}});
}

const GrowthLimit kTwoPercent{true, 2, 0, "2%"};

GateLimits only(Gauge gauge) {
  return limits_on(std::span(&gauge, 1), kTwoPercent);
}

} // namespace

TEST_CASE("readings are of every device that either side has") {
  const std::vector<DeviceState> before{device(0, 100, 50), device(2, 10, 10)};
  const std::vector<DeviceState> after{device(1, 30, 20), device(2, 15, 5)};
  const std::vector<EndReserved> reserved_before{{{0}, 500}};
  const std::vector<EndReserved> reserved_after{{{1}, 700}};
  const auto found = readings_of({before, reserved_before}, {after, reserved_after});
  REQUIRE(found.size() == 3);
  CHECK(found[0].of(Gauge::peak).change_bytes() == -100);
  CHECK(found[0].of(Gauge::reserved).change_bytes() == -500);
  CHECK(found[1].of(Gauge::end).change_bytes() == 20);
  CHECK(found[1].of(Gauge::reserved).change_bytes() == 700);
  CHECK(found[2].of(Gauge::peak).change_bytes() == 5);
  CHECK(found[2].of(Gauge::end).change_bytes() == -5);
}

TEST_CASE("the peak is unknown of a file without events, and known of an idle device next to a busy one") {
  const auto no_history = readings({device(0, 100, 100, 0)}, {device(0, 100, 100)});
  CHECK(!no_history[0].of(Gauge::peak).is_known());
  CHECK(no_history[0].of(Gauge::end).is_known());
  const auto idle = readings({device(0, 100, 100, 0), device(1, 9, 9)}, {device(0, 100, 100), device(1, 9, 9)});
  CHECK(idle[0].of(Gauge::peak).is_known());
}

TEST_CASE("any of the three figures exceeds the limit") {
  SUBCASE("the peak, although the end is as before") {
    const auto verdict =
        verdict_on(readings({device(0, 6530, 100)}, {device(0, 11600, 100)}), limits_on(kGauges, kTwoPercent));
    REQUIRE(verdict.exceeded.size() == 1);
    CHECK(verdict.exceeded[0].gauge == Gauge::peak);
    CHECK(verdict.exceeded[0].bytes() == 5070);
    CHECK(verdict.judged.size() == 3);
  }
  SUBCASE("unless another one is named") {
    const auto devices = readings({device(0, 6530, 100)}, {device(0, 11600, 100)});
    CHECK(verdict_on(devices, only(Gauge::end)).exceeded.empty());
    CHECK(verdict_on(devices, only(Gauge::peak)).exceeded.size() == 1);
  }
  SUBCASE("largest growth first") {
    const auto verdict =
        verdict_on(readings({device(0, 100, 100)}, {device(0, 200, 900)}), limits_on(kGauges, kTwoPercent));
    REQUIRE(verdict.exceeded.size() == 2);
    CHECK(verdict.exceeded[0].gauge == Gauge::end);
  }
}

TEST_CASE("of several devices the one that grew most decides, not their sum") {
  const std::vector<DeviceState> before{device(0, 1000, 0), device(1, 1000, 0), device(2, 1000, 0)};
  const std::vector<DeviceState> after{device(0, 400, 0), device(1, 1300, 0), device(2, 1200, 0)};
  const auto verdict = verdict_on(readings(before, after), limits_on(kGauges, {false, 0, 100, "100"}));
  REQUIRE(verdict.exceeded.size() == 1);
  CHECK(verdict.exceeded[0].device == DeviceId{1});
  CHECK(verdict.exceeded[0].bytes() == 300);
}

TEST_CASE("a figure that is unknown is not judged, and that is said") {
  const auto verdict =
      verdict_on(readings({device(0, 100, 100, 0)}, {device(0, 900, 100)}), limits_on(kGauges, kTwoPercent));
  CHECK(verdict.exceeded.empty());
  CHECK(verdict.judged == std::vector<Gauge>{Gauge::end, Gauge::reserved});
  CHECK(verdict.unknown == std::vector<Gauge>{Gauge::peak});
}

TEST_CASE("each figure has its own limit, and without one any growth passes") {
  const auto devices = readings({device(0, 100, 100)}, {device(0, 150, 190)});
  GateLimits limits;
  limits.of(Gauge::peak) = GrowthLimit{false, 0, 40, "40"};
  limits.of(Gauge::reserved) = GrowthLimit{false, 0, 1000, "1000"};
  const auto verdict = verdict_on(devices, limits);
  REQUIRE(verdict.exceeded.size() == 1);
  CHECK(verdict.exceeded[0].gauge == Gauge::peak);
  CHECK(verdict.judged == std::vector<Gauge>{Gauge::peak, Gauge::reserved});
  CHECK(!verdict.is_passed());
}

TEST_CASE("a limit lets pass a growth of exactly itself") {
  CHECK(!kTwoPercent.is_exceeded(100, 102));
  CHECK(kTwoPercent.is_exceeded(100, 103));
  CHECK(kTwoPercent.is_exceeded(0, 1));
  CHECK(!kTwoPercent.is_exceeded(100, 50));
  const GrowthLimit bytes{false, 0, 10, "10"};
  CHECK(!bytes.is_exceeded(0, 10));
  CHECK(bytes.is_exceeded(0, 11));
}
