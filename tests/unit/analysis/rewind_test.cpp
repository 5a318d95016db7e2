#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/input.hpp"
#include "memviz/replay.hpp"
#include "memviz/warnings.hpp"
#include "support/rewound.hpp"
#include "support/snapshot_builder.hpp"
#include "support/tree_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace memviz;
using namespace memviz::test;

namespace {

std::vector<EventIndex> alloc_events(const MemoryState& state) {
  std::vector<EventIndex> events;
  for (const BlockFacts& facts : state.facts)
    events.push_back(facts.history.alloc_event);
  return events;
}

} // namespace

TEST_CASE("the state after each event is rebuilt from the end") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 4096).active(1024, 1000).inactive(3072);
  builder.alloc(0x1000, 1000).alloc(0x1400, 500).free(0x1400, 500);
  CHECK(drawn_after(builder, -1) == "0x1000+4096: -4096");
  CHECK(drawn_after(builder, 0) == "0x1000+4096: 1000/1024 -3072");
  CHECK(drawn_after(builder, 1) == "0x1000+4096: 1000/1024 500/512 -2560");
  CHECK(drawn_after(builder, 2) == "0x1000+4096: 1000/1024 ~500/512 -2560");
  CHECK(drawn_after(builder, 3) == "0x1000+4096: 1000/1024 -3072");
  CHECK(drawn(rewound(builder, at_moment(MomentKind::peak))) == "0x1000+4096: 1000/1024 500/512 -2560");
  CHECK(warnings_of(rewound(builder, at_moment(MomentKind::peak))).empty());
}

TEST_CASE("totals are those of the moment, accounts those of the recording") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 4096).active(1024, 1000).inactive(3072);
  builder.alloc(0x1000, 1000).alloc(0x1400, 500).free(0x1400, 500);
  const MemoryState state = rewound(builder, at_moment(MomentKind::peak));
  const DeviceState& device_state = state.devices[0];
  CHECK(device_state.moment.kind == MomentKind::peak);
  CHECK(device_state.moment.event == EventIndex(1));
  CHECK(device_state.figures.allocated_bytes == 1536);
  CHECK(device_state.figures.requested_bytes == 1500);
  CHECK(device_state.figures.inactive_bytes == 2560);
  CHECK(device_state.figures.blocks == 3);
  CHECK(device_state.figures.events == 4);
  CHECK(device_state.figures.end_requested_bytes == 1000);
  CHECK(device_state.figures.balanced());
  CHECK(alloc_events(state) == std::vector{EventIndex(0), EventIndex(1), kNoEvent});
}

TEST_CASE("a freed allocation has the stack of its alloc, not that of its free") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).inactive(1024);
  builder.event("alloc", 0x1000, 500, {"train.py:1:forward"});
  builder.event("free_requested", 0x1000, 500, {"train.py:9:backward"});
  builder.event("free_completed", 0x1000, 500, {"train.py:9:backward"});
  builder.event("free_completed", 0x1200, 300, {"train.py:9:backward"});
  const MemoryState state = rewound(builder, after_event(0));
  REQUIRE(state.blocks.size() == 2);
  const auto frames = state.frames().stack(state.blocks[0].stack);
  REQUIRE(frames.size() == 1);
  CHECK(state.frames().name(frames[0]) == "forward");
  CHECK(state.facts[0].history.is_explained());
  SUBCASE("and the baseline none, where frees have their own") {
    CHECK(state.blocks[1].stack == kNoFrames);
    CHECK_FALSE(state.facts[1].history.is_explained());
  }
}

TEST_CASE("frees that were recorded with the stacks of their allocs name the baseline") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).inactive(1024);
  builder.event("alloc", 0x1000, 500, {"train.py:1:forward"});
  builder.event("free_completed", 0x1000, 500, {"train.py:1:forward"});
  builder.event("free_completed", 0x1200, 300, {"train.py:2:load"});
  const MemoryState state = rewound(builder, after_event(-1));
  REQUIRE(state.blocks.size() == 2);
  const auto frames = state.frames().stack(state.blocks[1].stack);
  REQUIRE(frames.size() == 1);
  CHECK(state.frames().name(frames[0]) == "load");
}

TEST_CASE("an address that is used again is the allocation of that moment") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 4096).active(1024, 900).inactive(3072);
  builder.alloc(0x1000, 100).free(0x1000, 100).alloc(0x1000, 2000).free(0x1000, 2000).alloc(0x1000, 900);
  CHECK(drawn_after(builder, 0) == "0x1000+4096: 100/512 -3584");
  CHECK(drawn_after(builder, 2) == "0x1000+4096: -4096");
  CHECK(drawn_after(builder, 3) == "0x1000+4096: 2000/2048 -2048");
  CHECK(drawn_after(builder, 6) == "0x1000+4096: 900/1024 -3072");
}

TEST_CASE("what is pending at the end was not before its free was requested") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1536).pending(512, 500).pending(512, 400).inactive(512);
  builder.alloc(0x1000, 500).event("free_requested", 0x1000, 500).alloc(0x1400, 300).free(0x1400, 300);
  CHECK(drawn_after(builder, 0) == "0x1000+1536: 500/512 ~400/512 -512");
  CHECK(drawn_after(builder, 1) == "0x1000+1536: ~500/512 ~400/512 -512");
  CHECK(drawn_after(builder, 3) == "0x1000+1536: ~500/512 ~400/512 ~300/512");
}

TEST_CASE("frees that complete late are pending until then") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).inactive(1024);
  builder.alloc(0x1000, 500).alloc(0x1200, 400);
  builder.event("free_requested", 0x1000, 500).event("free_requested", 0x1200, 400);
  builder.event("free_completed", 0x1200, 400).event("free_completed", 0x1000, 500);
  CHECK(drawn_after(builder, 2) == "0x1000+1024: ~500/512 400/512");
  CHECK(drawn_after(builder, 3) == "0x1000+1024: ~500/512 ~400/512");
  CHECK(drawn_after(builder, 4) == "0x1000+1024: ~500/512 -512");
}

TEST_CASE("an allocation is not pending because one before it at its address was") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).inactive(1024);
  builder.alloc(0x1000, 500).event("free_requested", 0x1000, 500); // its completion is not recorded
  builder.alloc(0x1000, 400).event("free_completed", 0x1000, 400);
  CHECK(drawn_after(builder, 1) == "0x1000+1024: -1024");
  CHECK(drawn_after(builder, 2) == "0x1000+1024: 400/512 -512");
}

TEST_CASE("a free that completes without a recorded request was requested before the first event") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1536).active(512, 300).inactive(1024);
  builder.event("free_completed", 0x1200, 500).alloc(0x1400, 400).free(0x1400, 400);
  CHECK(drawn_after(builder, -1) == "0x1000+1536: 300/512 ~500/512 -512");
  CHECK(drawn_after(builder, 0) == "0x1000+1536: 300/512 -1024");

  SUBCASE("unless requests are not recorded at all") {
    builder.alloc(0x1400, 200).event("free_completed", 0x1400, 200);
    CHECK(drawn_after(builder, -1) == "0x1000+1536: 300/512 500/512 -512");
  }
}

TEST_CASE("segments come and go with their events") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).active(1024, 900);
  builder.event("segment_alloc", 0x8000, 2048).alloc(0x8000, 2000).free(0x8000, 2000);
  builder.event("segment_free", 0x8000, 2048).event("segment_alloc", 0x1000, 1024).alloc(0x1000, 900);
  CHECK(drawn_after(builder, -1) == "");
  CHECK(drawn_after(builder, 1) == "0x8000+2048: 2000/2048");
  CHECK(drawn_after(builder, 4) == "");
  CHECK(drawn_after(builder, 5) == "0x1000+1024: -1024");
}

TEST_CASE("mapped ranges of an expandable segment grow, shrink, split and join") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 0x1000).set("is_expandable", true).active(4096, 4000);
  small(builder, 0x3000, 0x1000).set("is_expandable", true).inactive(4096);
  builder.event("segment_map", 0x1000, 0x2000).event("segment_map", 0x3000, 0x1000);
  builder.event("alloc", 0x1000, 4000).event("segment_unmap", 0x2000, 0x1000);
  CHECK(drawn_after(builder, -1) == "");
  CHECK(drawn_after(builder, 0) == "0x1000+8192: -8192");
  CHECK(drawn_after(builder, 1) == "0x1000+12288: -12288");
  CHECK(drawn_after(builder, 2) == "0x1000+12288: 4000/4096 -8192");
  CHECK(drawn_after(builder, 3) == "0x1000+4096: 4000/4096 | 0x3000+4096: -4096");
}

TEST_CASE("a range that is mapped again joins the pages of its pool, and of any where its event has none") {
  const auto before_unmapping = [](const PythonValue& event) {
    SnapshotBuilder builder;
    const auto of_pool = [&](std::uint64_t address, int pool) {
      small(builder, address, 0x1000)
          .set("is_expandable", true)
          .set("segment_pool_id", tuple({0, pool}))
          .inactive(4096);
    };
    of_pool(0x1000, 1);
    of_pool(0x3000, 2);
    builder.event(event);
    return drawn_after(builder, -1);
  };
  const PythonValue event =
      dict({{"action", "segment_unmap"}, {"addr", 0x2000}, {"size", 0x1000}, {"stream", 0}, {"frames", list()}});
  CHECK(before_unmapping(event) == "0x1000+12288: -12288");
  const auto with_pool = [&](int pool) {
    return dict({{"action", "segment_unmap"},
                 {"addr", 0x2000},
                 {"size", 0x1000},
                 {"stream", 0},
                 {"frames", list()},
                 {"pool_id", tuple({0, pool})}});
  };
  CHECK(before_unmapping(with_pool(1)) == "0x1000+8192: -8192 | 0x3000+4096: -4096");
  CHECK(before_unmapping(with_pool(2)) == "0x1000+4096: -4096 | 0x2000+8192: -8192");
}

TEST_CASE("each device has its own moment") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 512, 0).inactive(512);
  small(builder, 0x1000, 512, 1).inactive(512);
  builder.event("alloc", 0x1000, 100, {}, 0).event("free_completed", 0x1000, 100, {}, 0);
  builder.event("alloc", 0x1000, 200, {}, 1).event("oom", 0, 4096, {}, 1).event("free_completed", 0x1000, 200, {}, 1);
  SUBCASE("a device without an out-of-memory error stays at its end") {
    const MemoryState state = rewound(builder, at_moment(MomentKind::oom));
    CHECK(state.devices[0].moment.is_end());
    CHECK(state.devices[0].moment.event == EventIndex(1));
    CHECK(state.devices[1].moment.kind == MomentKind::oom);
    CHECK(state.devices[1].moment.event == EventIndex(1));
    CHECK(drawn(state) == "0x1000+512: -512 | 0x1000+512: 200/512");
  }
  SUBCASE("an event may be meant for one of them") {
    MomentChoice choice = after_event(0);
    choice.device = DeviceId{0};
    CHECK(drawn(rewound(builder, choice)) == "0x1000+512: 100/512 | 0x1000+512: -512");
  }
}

TEST_CASE("a time is the last event at or before it") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).active(512, 100).active(512, 200);
  const auto event = [](std::uint64_t address, std::uint64_t size, std::int64_t time_us) {
    return dict({{"action", "alloc"}, {"addr", address}, {"size", size}, {"stream", 0}, {"time_us", time_us}});
  };
  builder.event(event(0x1000, 100, 1000)).event(event(0x1200, 200, 2000));
  MomentChoice choice = at_moment(MomentKind::time);
  choice.time_us = 999;
  CHECK(rewound(builder, choice).devices[0].moment.event.is_none());
  choice.time_us = 1000;
  CHECK(rewound(builder, choice).devices[0].moment.event == EventIndex(0));
  CHECK(rewound(builder, choice).devices[0].moment.time_us == 1000);
  choice.time_us = 5000;
  CHECK(rewound(builder, choice).devices[0].moment.event == EventIndex(1));
}

TEST_CASE("what does not fit is outside all segments, with a warning that has its bytes") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).active(512, 500).inactive(512);
  SUBCASE("outside all segments") {
    builder.free(0x9000, 300);
    const MemoryState state = rewound(builder, after_event(-1));
    CHECK(drawn(state) == "0x1000+1024: 500/512 -512");
    REQUIRE(warnings_of(state).size() == 1);
    CHECK(warnings_of(state)[0].find("300 B requested are in no segment") != std::string::npos);
    CHECK(state.devices[0].figures.requested_bytes == 800);
    CHECK(state.devices[0].figures.outside_bytes == 300);
    CHECK(state.devices[0].figures.rounding_bytes() == 12);
  }
  SUBCASE("over what is still there") {
    builder.free(0x1100, 300);
    const MemoryState state = rewound(builder, after_event(-1));
    CHECK(drawn(state) == "0x1000+1024: 500/512 -512");
    CHECK(state.devices[0].figures.outside_bytes == 300);
  }
  SUBCASE("beyond its room") {
    builder.free(0x1200, 700);
    const MemoryState state = rewound(builder, after_event(-1));
    CHECK(drawn(state) == "0x1000+1024: 500/512 512/512");
    const std::vector<OutsideMemory>& outside = state.devices[0].outside;
    REQUIRE(outside.size() == 1);
    CHECK(outside[0].requested_bytes == 188);
    CHECK(outside[0].allocations == 0);
  }
  SUBCASE("twice at one address") {
    builder.free(0x1200, 100).free(0x1200, 100);
    CHECK(drawn_after(builder, -1) == "0x1000+1024: 500/512 100/512");
  }
  SUBCASE("segment events that contradict the segments") {
    builder.event("segment_alloc", 0x5000, 512).event("segment_free", 0x1000, 1024);
    builder.event("segment_map", 0x1200, 4096).event("segment_free", 0xFFFFFFFFFFFFFF00, 4096);
    const MemoryState state = rewound(builder, after_event(-1));
    CHECK(drawn(state) == "0x1000+1024: 500/512 -512");
    REQUIRE(warnings_of(state).size() == 1);
    CHECK(warnings_of(state)[0].find("4 segment events") != std::string::npos);
  }
  SUBCASE("allocations over others") {
    builder.alloc(0x1000, 100).alloc(0x1000, 500);
    const MemoryState state = rewound(builder, after_event(0));
    CHECK(drawn(state) == "0x1000+1024: -1024");
    CHECK(warnings_of(state).back().find("1 allocations of that moment were never freed") != std::string::npos);
  }
}

TEST_CASE("at the peak a device holds the peak, wherever its allocations lie") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).active(512, 500).inactive(512);
  SUBCASE("in no segment, with the stack of its alloc") {
    builder.alloc(0x9000, 3000, {"train.py:7:step"}).free(0x9000, 3000);
    const MemoryState state = rewound(builder, at_moment(MomentKind::automatic));
    CHECK(state.devices[0].moment.kind == MomentKind::peak);
    CHECK(state.devices[0].figures.requested_bytes == 3500);
    CHECK(state.devices[0].figures.peak_requested_bytes == 3500);
    const FrameTree tree = build_frame_tree(state, {});
    CHECK(tree.root().total.bytes == 1024 + 3000);
    CHECK(folded_stacks(state, FoldedView::memory, {})
              .starts_with("<outside all segments>;active_allocated;train.py:7:step 3000\n"));
    CHECK(rank_user_lines(state, {})[0].amount.bytes == 3000);
  }
  SUBCASE("or are only counted: never freed, and in no block of the file") {
    builder.alloc(0x9000, 3000, {"train.py:7:step"});
    const MemoryState state = rewound(builder, at_moment(MomentKind::peak));
    CHECK(state.devices[0].figures.requested_bytes == state.devices[0].figures.peak_requested_bytes);
    CHECK(rank_user_lines(state, {})[0].key == NodeKey(Pseudo::only_counted));
  }
}

TEST_CASE("actions that are not known change nothing") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).active(512, 500).inactive(512);
  builder.event("snapshot", 0, 512).event("annotate", 0x1000, 0).event("workspace_snapshot", 0, 1);
  CHECK(drawn_after(builder, -1) == "0x1000+1024: 500/512 -512");
}

TEST_CASE("the events around the moment are kept, wherever the batches end") {
  SnapshotBuilder builder;
  small(builder, 0x1000, 1024).inactive(1024);
  for (std::uint64_t i = 0; i < 600; ++i)
    builder.event(i % 2 == 0 ? "alloc" : "free_completed", 0x1000, 1 + i / 2);
  for (const std::int64_t moment : {-1, 0, 3, 254, 255, 256, 257, 511, 512, 598, 599}) {
    CAPTURE(moment);
    const EventsAround around = rewound(builder, after_event(moment)).devices.at(0).around;
    CHECK(around.first_event.number() == std::max<std::int64_t>(0, moment - 7));
    const auto last = std::min<std::int64_t>(599, moment + 8);
    REQUIRE(around.events.size() == static_cast<std::size_t>(last - around.first_event.number() + 1));
    for (std::size_t i = 0; i < around.events.size(); ++i)
      CHECK(around.events[i].size_bytes == 1 + (around.first_event.value() + i) / 2);
  }
}
