#include "story/moment_words.hpp"

#include <doctest/doctest.h>
#include <span>
#include <vector>

using namespace memviz;

namespace {

DeviceState at(MomentKind kind, std::uint64_t requested_bytes) {
  DeviceState device_state;
  device_state.moment.kind = kind;
  device_state.moment.event = EventIndex(7);
  device_state.figures.events = 30;
  device_state.figures.requested_bytes = requested_bytes;
  device_state.figures.reserved_bytes = 8192;
  device_state.figures.peak_requested_bytes = 4096;
  device_state.figures.end_requested_bytes = 1024;
  device_state.figures.end_reserved_bytes = 2048;
  return device_state;
}

Moment moment(MomentKind kind, std::int64_t event) {
  return {kind, EventIndex::last_of(static_cast<std::uint64_t>(event + 1)), std::nullopt, "", 0};
}

} // namespace

TEST_CASE("the other moments are with the command that shows them") {
  CHECK(other_moments_text("flame", at(MomentKind::peak, 4096)) ==
        "At the end: 1.00 KiB requested of 2.00 KiB reserved (memviz flame --at end FILE)");
  DeviceState failed = at(MomentKind::oom, 3072);
  failed.figures.ooms = 1;
  failed.last_oom_event = EventIndex(7);
  CHECK(other_moments_text("state", failed) ==
        "At the end: 1.00 KiB requested of 2.00 KiB reserved (memviz state --at end FILE); at the peak: 4.00 KiB "
        "requested (--at peak)");
  DeviceState end = at(MomentKind::end, 1024);
  end.figures.ooms = 1;
  end.last_oom_event = EventIndex(7);
  end.moment.event = EventIndex(29);
  CHECK(other_moments_text("flame", end) ==
        "The out-of-memory error: event 7 (memviz flame --at oom FILE); at the peak: 4.00 KiB requested (--at peak)");
  CHECK(other_moments_text("flame", at(MomentKind::peak, 4096), "GPU 1") ==
        "GPU 1 at the end: 1.00 KiB requested of 2.00 KiB reserved (memviz flame --at end FILE)");
  SUBCASE("nothing where there is no other") {
    end.figures.events = 0;
    CHECK(other_moments_text("flame", end).empty());
    DeviceState same = at(MomentKind::peak, 4096);
    same.figures.end_requested_bytes = 4096;
    same.figures.end_reserved_bytes = 8192;
    CHECK(other_moments_text("flame", same).empty());
  }
}

TEST_CASE("devices without any memory have no moment to name") {
  DeviceState unused;
  unused.moment.kind = MomentKind::peak;
  unused.device = DeviceId{1};
  const std::vector<DeviceState> both{at(MomentKind::peak, 4096), unused};
  CHECK(moments_text(both) == moment_text(both.front()));
  CHECK(moments_text(std::span(both).subspan(1)) == moment_text(unused));
  const std::vector<DeviceState> none(2, unused);
  CHECK(moments_text(none) == "GPU 1 at the peak, before the first event; GPU 1 at the peak, before the first event");
}

TEST_CASE("the moment of the device that failed is named first") {
  DeviceState failed = at(MomentKind::oom, 1024);
  failed.device = DeviceId{1};
  const std::vector<DeviceState> devices{at(MomentKind::peak, 4096), failed};
  CHECK(moments_text(devices).starts_with("GPU 1 at the out-of-memory error"));
  CHECK(leading_first(devices) == std::vector{&devices[1], &devices[0]});
}

TEST_CASE("a device that failed at another moment leads an answer about the whole recording, unless one fails at this "
          "moment") {
  std::vector<DeviceState> devices{at(MomentKind::end, 4096), at(MomentKind::end, 1024), at(MomentKind::end, 2048)};
  devices[1].device = DeviceId{1};
  devices[2].device = DeviceId{2};
  CHECK(failed_first(devices) == leading_first(devices));
  devices[2].figures.ooms = 1;
  CHECK(failed_first(devices) == std::vector<const DeviceState*>{&devices[2], devices.data(), &devices[1]});
  devices[1].moment.kind = MomentKind::oom;
  CHECK(failed_first(devices) == std::vector<const DeviceState*>{&devices[1], devices.data(), &devices[2]});
}

TEST_CASE("a sentence that has the figures names the moment in few words") {
  CHECK(short_moment_text({}) == "at the end");
  CHECK(short_moment_text(moment(MomentKind::peak, 4)) == "at its peak");
  CHECK(short_moment_text(moment(MomentKind::event, 1234)) == "after event 1,234");
  CHECK(short_moment_text(moment(MomentKind::event, -1)) == "before the first event");
  CHECK(short_moment_text({MomentKind::annotation, EventIndex(3), std::nullopt, "step", 0}) ==
        "at the start of 'step'");
}

TEST_CASE("several devices are not added up") {
  std::vector<DeviceState> devices{at(MomentKind::peak, 100), at(MomentKind::peak, 300)};
  devices[1].device = {1};
  SUBCASE("the one that holds most leads") {
    CHECK(leading_device(devices) == &devices[1]);
    CHECK(shown_figures(devices).requested_bytes == 300);
    CHECK(shown_moment(devices).kind == MomentKind::peak);
  }
  SUBCASE("or the one that failed") {
    devices[0].moment.kind = MomentKind::oom;
    CHECK(leading_device(devices) == devices.data());
    CHECK(shown_figures(devices).requested_bytes == 100);
  }
  SUBCASE("and not at their end either") {
    devices[0].moment.kind = devices[1].moment.kind = MomentKind::end;
    CHECK(leading_device(devices) == &devices[1]);
    CHECK(shown_device(devices) == &devices[1]);
    CHECK(shown_figures(devices).requested_bytes == 300);
    CHECK(shown_moment(devices).is_end());
  }
  SUBCASE("of those that hold the same the one that has reserved most leads, else the first") {
    devices[0].figures.requested_bytes = devices[1].figures.requested_bytes;
    CHECK(leading_device(devices) == devices.data());
    devices[1].figures.reserved_bytes = 10'000;
    CHECK(leading_device(devices) == &devices[1]);
  }
  SUBCASE("one device is its own sum") {
    const std::span<const DeviceState> one = std::span(devices).last(1);
    CHECK(leading_device(one) == nullptr);
    CHECK(shown_device(one) == &devices[1]);
    CHECK(shown_figures(one).requested_bytes == 300);
  }
}
