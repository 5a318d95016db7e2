#include "memviz/replay.hpp"

#include <doctest/doctest.h>

using namespace memviz;

namespace {

DeviceStats at(MomentKind kind, std::uint64_t requested_bytes) {
  DeviceStats stats;
  stats.at.kind = kind;
  stats.at.event = 7;
  stats.events = 30;
  stats.requested_bytes = requested_bytes;
  stats.reserved_bytes = 8192;
  stats.peak_requested_bytes = 4096;
  stats.end_requested_bytes = 1024;
  stats.end_reserved_bytes = 2048;
  return stats;
}

Moment moment(MomentKind kind, std::int64_t event) {
  return {kind, event, std::nullopt, "", 0};
}

} // namespace

TEST_CASE("the other moments stand with the command that shows them") {
  CHECK(other_moments_text("flame", at(MomentKind::peak, 4096)) ==
        "At the end: 1.00 KiB live of 2.00 KiB reserved (memviz flame --at end FILE)");
  DeviceStats failed = at(MomentKind::oom, 3072);
  failed.ooms = 1;
  failed.last_oom_event = 7;
  CHECK(other_moments_text("state", failed) ==
        "At the end: 1.00 KiB live of 2.00 KiB reserved (memviz state --at end FILE); at the peak: 4.00 KiB live "
        "(--at peak)");
  DeviceStats end = at(MomentKind::end, 1024);
  end.ooms = 1;
  end.last_oom_event = 7;
  end.at.event = 29;
  CHECK(other_moments_text("flame", end) ==
        "The out-of-memory error: event 7 (memviz flame --at oom FILE); at the peak: 4.00 KiB live (--at peak)");
  CHECK(other_moments_text("flame", at(MomentKind::peak, 4096), "GPU 1") ==
        "GPU 1 at the end: 1.00 KiB live of 2.00 KiB reserved (memviz flame --at end FILE)");
  SUBCASE("nothing where there is no other") {
    end.events = 0;
    CHECK(other_moments_text("flame", end).empty());
    DeviceStats same = at(MomentKind::peak, 4096);
    same.end_requested_bytes = 4096;
    same.end_reserved_bytes = 8192;
    CHECK(other_moments_text("flame", same).empty());
  }
}

TEST_CASE("a sentence that has the figures names the moment in few words") {
  CHECK(short_moment_text({}) == "at the end");
  CHECK(short_moment_text(moment(MomentKind::peak, 4)) == "at its peak");
  CHECK(short_moment_text(moment(MomentKind::event, 1234)) == "after event 1,234");
  CHECK(short_moment_text(moment(MomentKind::event, -1)) == "before the first event");
  CHECK(short_moment_text({MomentKind::annotation, 3, std::nullopt, "step", 0}) == "at the start of 'step'");
}

TEST_CASE("devices at different moments are not added up") {
  DeviceStats first = at(MomentKind::peak, 100);
  DeviceStats second = at(MomentKind::peak, 300);
  second.device = {1};
  SUBCASE("the one that holds most leads") {
    CHECK(leading_device({first, second}) == DeviceId{1});
    CHECK(leading_or_sum({first, second}).requested_bytes == 300);
  }
  SUBCASE("or the one that failed") {
    first.at.kind = MomentKind::oom;
    CHECK(leading_device({first, second}) == DeviceId{0});
    CHECK(leading_or_sum({first, second}).requested_bytes == 100);
  }
  SUBCASE("the end is one moment for all") {
    first.at.kind = second.at.kind = MomentKind::end;
    CHECK(!leading_device({first, second}));
    CHECK(leading_or_sum({first, second}).requested_bytes == 400);
  }
  SUBCASE("one device is its own sum") {
    CHECK(!leading_device({second}));
    CHECK(leading_or_sum({second}).device == DeviceId{1});
  }
}
