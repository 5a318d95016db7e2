#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/recording.hpp"
#include "memviz/source_line.hpp"
#include "support/both_readers.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::test;
using namespace std::string_literals;

namespace {

PythonValue history_entry(std::uint64_t real_size, const Stack& stack) {
  return dict({{"addr", 0}, {"real_size", real_size}, {"frames", frames_of(stack)}});
}

} // namespace

TEST_CASE("segments and blocks of today's writers") {
  SnapshotBuilder builder;
  builder.segment(0x7f0000000000, 2 * MiB, 1, 42)
      .set("segment_pool_id", tuple({0, 3}))
      .set("is_expandable", true)
      .active(1024, 1000, {"model.py:7:forward", "train.py:12:step"})
      .pending(512, 512)
      .inactive(2 * MiB - 1536, 999'999'999);
  const Recording snapshot = builder.read();
  REQUIRE(snapshot.end.segments.size() == 1);
  const Segment& segment = snapshot.end.segments[0];
  CHECK(segment.device == DeviceId{1});
  CHECK(segment.stream == 42);
  CHECK(segment.pool == PoolId{0, 3});
  CHECK(segment.pool.is_private());
  CHECK(segment.is_expandable);
  CHECK(segment.is_large == true);
  CHECK(segment.uncovered_bytes == 0);

  const auto blocks = snapshot.end.blocks_of(segment);
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[0].state == BlockState::active_allocated);
  CHECK(blocks[0].rounding_bytes() == 24);
  const auto stack = snapshot.frames.stack(blocks[0].stack);
  REQUIRE(stack.size() == 2);
  CHECK(snapshot.frames.name(stack[0]) == "forward");
  CHECK(snapshot.frames.filename(stack[1]) == "train.py");
  CHECK(snapshot.frames.frame(stack[1]).line == 12);
  CHECK(blocks[1].state == BlockState::active_pending_free);
  SUBCASE("the requested_size of an inactive block is stale and ignored") {
    CHECK(blocks[2].requested_bytes == 0);
    CHECK(blocks[2].rounding_bytes() == 0);
    CHECK(snapshot.warnings.empty());
  }
}

TEST_CASE("blocks without address lie one after another") {
  SnapshotBuilder builder;
  const auto block = [](std::uint64_t size) {
    return dict({{"size", size}, {"requested_size", size}, {"state", "active_allocated"}, {"frames", list()}});
  };
  builder.segment(0x1000, 1024).block(block(512)).block(block(512));
  const Recording snapshot = builder.read();
  CHECK(snapshot.end.blocks[0].address == 0x1000);
  CHECK(snapshot.end.blocks[1].address == 0x1200);
}

TEST_CASE("blocks with history, as PyTorch 1.13 and 2.0 wrote them") {
  SnapshotBuilder builder;
  SUBCASE("the newest entry is the owner") {
    builder.segment(0x1000, 1024)
        .block(dict(
            {{"size", 1024},
             {"state", "active_allocated"},
             {"history", list({history_entry(1000, {"new.py:1:owner"}), history_entry(512, {"old.py:1:dead"})})}}));
    const Recording snapshot = builder.read();
    CHECK(snapshot.end.blocks[0].requested_bytes == 1000);
    CHECK(snapshot.frames.name(snapshot.frames.stack(snapshot.end.blocks[0].stack)[0]) == "owner");
    CHECK(snapshot.origin.generation == "PyTorch 2.0");
  }
  SUBCASE("an entry without frames was recorded without context") {
    builder.segment(0x1000, 1024)
        .block(dict({{"size", 1024},
                     {"state", "active_allocated"},
                     {"history", list({dict({{"addr", 0x1000}, {"real_size", 1000}})})}}));
    CHECK(builder.read().end.blocks[0].stack == kNoContext);
  }
  SUBCASE("a block that was never used has no history") {
    builder.segment(0x1000, 1024).block(dict({{"size", 1024}, {"state", "inactive"}}));
    CHECK(builder.read().end.blocks[0].state == BlockState::inactive);
  }
}

TEST_CASE("a bare list of segments is a snapshot without events") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024).active(1024, 1024);
  const auto& root = std::get<PythonDict>(builder.python().value);
  const Recording snapshot = read_snapshot(pickled(root.pairs->front().second));
  CHECK(snapshot.origin.signs.is_list);
  CHECK(snapshot.end.segments.size() == 1);
  CHECK(snapshot.traces.empty());
}

TEST_CASE("events keep what any generation writes") {
  SnapshotBuilder builder;
  builder.event(dict({{"action", "oom"}, {"device_free", 4096}, {"size", 1 << 20}, {"stream", 0}, {"time_us", 5}}));
  builder.event(dict({{"action", "alloc"},
                      {"addr", UINT64_MAX},
                      {"size", 7},
                      {"stream", 140'000'000'000'000},
                      {"compile_context", "Torch-Compiled Region: 0/0"},
                      {"user_metadata", "layer 3"},
                      {"pool_id", list({0, 9})},
                      {"forward_frames", list({"model.py:3 in forward", "train.py:9 in main"})}}));
  builder.event(dict({{"action", "user_defined"}, {"addr", 1}, {"unheard_of", list({1, 2})}}));
  const Recording snapshot = builder.read();
  const EventTable& events = snapshot.traces[DeviceId{0}];
  REQUIRE(events.size() == 3);
  SUBCASE("an OOM has the free bytes of the device instead of an address") {
    CHECK(events[0].action == Action::oom);
    CHECK(events[0].address == 4096);
    CHECK(events[0].time_us == 5);
  }
  SUBCASE("optional keys") {
    const Event alloc = events[1];
    CHECK(alloc.address == UINT64_MAX);
    CHECK(alloc.stream == 140'000'000'000'000);
    CHECK(snapshot.frames.text(alloc.compile_context) == "Torch-Compiled Region: 0/0");
    CHECK(snapshot.frames.text(alloc.user_metadata) == "layer 3");
    CHECK(alloc.pool == PoolId{0, 9});
    CHECK(alloc.time_us == std::nullopt);
    const auto forward = snapshot.frames.stack(alloc.forward_stack);
    REQUIRE(forward.size() == 2);
    CHECK(snapshot.frames.name(forward[1]) == "train.py:9 in main");
  }
  SUBCASE("an unknown action is kept under its own name") {
    CHECK(events[2].action == Action::other);
    CHECK(snapshot.frames.text(events[2].action_text) == "user_defined");
  }
}

TEST_CASE("events of errors alone have the free bytes of the device, by either reader") {
  SnapshotBuilder builder;
  for (int i = 0; i < 50; ++i) // enough for the fast reader to see a pattern
    builder.event(dict({{"action", "oom"}, {"device_free", 4096 + i}, {"size", 1 << 20}, {"stream", 0}}));
  check_same(builder.pickle());
  const Recording snapshot = builder.read();
  for (std::size_t i = 0; i < 50; ++i)
    CHECK(snapshot.traces[DeviceId{0}][i].address == 4096 + i);
}

TEST_CASE("either of the keys that came with pools shows the newest writer") {
  const auto generation_with = [](const char* key, PythonValue value) {
    SnapshotBuilder builder;
    for (int i = 0; i < 3; ++i)
      builder.event(dict({{"action", "alloc"}, {"addr", 512 * i}, {"size", 7}, {"stream", 0}, {key, value}}));
    check_same(builder.pickle());
    return builder.read().origin.generation;
  };
  CHECK(generation_with("pool_id", tuple({0, 9})) == "PyTorch of 2026 or newer");
  CHECK(generation_with("forward_frames", list({"model.py:3 in forward"})) == "PyTorch of 2026 or newer");
  CHECK(generation_with("category", "other") == "PyTorch 2.1 or 2.2");
}

TEST_CASE("a line of 2^64 - 1 is not known, as PyTorch's unwinder writes it, and stays as it is in folded output") {
  const auto frame = [](const char* name, std::uint64_t line) {
    return dict({{"name", name}, {"filename", "a.cpp"}, {"line", line}});
  };
  const auto frames = list({frame("unknown", 0xFFFFFFFFFFFFFFFF), frame("first", 0)});
  SnapshotBuilder builder;
  builder.segment(0x1000, 512)
      .block(dict({{"address", 0x1000},
                   {"size", 512},
                   {"requested_size", 512},
                   {"state", "active_allocated"},
                   {"frames", frames}}));
  const Recording snapshot = builder.read();
  CHECK(snapshot.frames.frame({0}).line == kUnknownLine);
  CHECK(snapshot.frames.frame({1}).line == 0);
  CHECK(frame_place(snapshot.frames, {0}) == "a.cpp");
  CHECK(folded_stacks(end_of(snapshot), FoldedView::memory, {}) ==
        "stream_0;active_allocated;a.cpp:0:first;a.cpp:18446744073709551615:unknown 512\n");
}

TEST_CASE("fx fields of frames are kept next to them") {
  SnapshotBuilder builder;
  const PythonValue frame = dict({{"name", "forward"},
                                  {"filename", "<eval_with_key>.1"},
                                  {"line", 5},
                                  {"fx_node_op", "call_function"},
                                  {"fx_node_name", "relu"},
                                  {"fx_node_target", "aten.relu.default"},
                                  {"fx_original_trace", "File \"model.py\", line 3"}});
  builder.segment(0x1000, 512)
      .block(dict({{"size", 512}, {"requested_size", 512}, {"state", "active_allocated"}, {"frames", list({frame})}}));
  const Recording snapshot = builder.read();
  const FxInfo* fx = snapshot.frames.fx(snapshot.frames.stack(snapshot.end.blocks[0].stack)[0]);
  REQUIRE(fx != nullptr);
  CHECK(snapshot.frames.text(fx->node_name) == "relu");
  CHECK(snapshot.frames.text(fx->original_trace) == "File \"model.py\", line 3");
}

TEST_CASE("settings and annotations") {
  SnapshotBuilder builder;
  builder.set("allocator_settings", dict({{"expandable_segments", true},
                                          {"garbage_collection_threshold", 0.5},
                                          {"roundup_power2_divisions", dict({{"1", 0}, {"2", 4}})},
                                          {"trace_alloc_overflowed", true},
                                          {"trace_alloc_max_entries", 1000}}));
  builder.set("external_annotations",
              list({dict({{"stage", "START"}, {"name", "backward"}, {"rank", "3"}, {"device", 0}, {"time_us", 99}})}));
  const Recording snapshot = builder.read();
  const auto setting = [&](std::size_t i) {
    return std::string(snapshot.frames.text(snapshot.settings[i].first)) + "=" +
           std::string(snapshot.frames.text(snapshot.settings[i].second));
  };
  CHECK(setting(0) == "expandable_segments=True");
  CHECK(setting(1) == "garbage_collection_threshold=0.5");
  CHECK(setting(3) == "roundup_power2_divisions.2=4");
  CHECK(snapshot.trace_overflowed == true);
  CHECK(snapshot.trace_max_entries == 1000);
  REQUIRE(snapshot.annotations.size() == 1);
  CHECK(snapshot.frames.text(snapshot.annotations[0].name) == "backward");
  CHECK(snapshot.annotations[0].time_us == 99);
  REQUIRE(snapshot.annotations[0].metadata.size() == 1);
  CHECK(snapshot.frames.text(snapshot.annotations[0].metadata[0].second) == "3");
}

TEST_CASE("a recording of main memory by the capture module says so") {
  SnapshotBuilder builder;
  CHECK(builder.read().origin.device_kind == DeviceKind::cuda);
  builder.set("allocator_settings", dict({{"memviz_recording", "cpu"}}));
  CHECK(builder.read().origin.device_kind == DeviceKind::cpu);
}

TEST_CASE("of a recording of GPUs and of main memory, one device is none") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024, 0).active(1024, 1000);
  builder.segment(0x9000, 1024, 2).active(1024, 1000);
  builder.set("allocator_settings", dict({{"memviz_recording", "cuda"}, {"memviz_cpu_device", 2}}));
  const Recording snapshot = builder.read();
  CHECK(snapshot.origin.kind_of({0}) == DeviceKind::cuda);
  CHECK(snapshot.origin.kind_of({2}) == DeviceKind::cpu);
  const MemoryState accounts = end_of(snapshot);
  CHECK(accounts.devices[0].device_kind == DeviceKind::cuda);
  CHECK(accounts.devices[1].device_kind == DeviceKind::cpu);
  TreeOptions options;
  options.levels = {Level::device};
  const FrameTree tree = build_frame_tree(accounts, options);
  const NodeId second = tree[tree.root().first_child].next_sibling;
  CHECK(node_label(snapshot.frames, tree[second].key) == "CPU");
}

TEST_CASE("frame lists that are shared are converted once") {
  SnapshotBuilder builder;
  const PythonValue frames = frames_of({"a.py:1:f"});
  for (int i = 0; i < 100; ++i)
    builder.event(dict({{"action", "alloc"}, {"addr", i}, {"size", 1}, {"frames", frames}}));
  const Recording snapshot = builder.read();
  CHECK(snapshot.frames.stack_count() == 3); // the two special ones and this
  CHECK(snapshot.frames.frame_count() == 1);
}

TEST_CASE("segments are sorted by device and address") {
  SnapshotBuilder builder;
  builder.segment(0x3000, 512, 1).active(512, 512);
  builder.segment(0x2000, 512, 0).active(512, 512);
  builder.segment(0x1000, 512, 1).active(512, 512);
  const Recording snapshot = builder.read();
  CHECK(snapshot.end.segments[0].address == 0x2000);
  CHECK(snapshot.end.segments[1].address == 0x1000);
  CHECK(snapshot.end.blocks_of(snapshot.end.segments[1])[0].address == 0x1000);
  CHECK(snapshot.devices() == std::vector{DeviceId{0}, DeviceId{1}});
}
