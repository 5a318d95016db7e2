#include "memviz/capture/recorder.hpp"

#include "libtorch/operator_frames.hpp"
#include "recorded_file.hpp"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace memviz::capture;

namespace {

at::Tensor cpu_bytes(std::int64_t count) {
  return at::empty({count}, at::kByte);
}

bool contains(const std::vector<std::string>& names, std::string_view part) {
  return std::any_of(names.begin(), names.end(), [part](const auto& n) { return n.find(part) != std::string::npos; });
}

const EventData& event_of(const SnapshotData& snapshot, std::string_view action, std::uint64_t size) {
  for (const EventData& event : snapshot.traces.at(0)) {
    if (event.action == action && event.size == size) return event;
  }
  throw std::runtime_error("no such event");
}

} // namespace

TEST_CASE("a recording on the CPU has the events and blocks of the program") {
  const at::Tensor before_install = cpu_bytes(90001);
  { const CpuRecording installs; }
  const at::Tensor freed_later_on = cpu_bytes(90002);
  at::Tensor freed_in_recording = cpu_bytes(90003);
  const CpuRecording recording;
  freed_in_recording.reset();
  const at::Tensor kept = cpu_bytes(90004);
  cpu_bytes(90005);
  const SnapshotData snapshot = recording.snapshot();

  CHECK(out_of_balance(snapshot) == 0);
  CHECK(count_blocks(snapshot, 90002) == 1); // baseline: known since the allocator was first watched
  CHECK(count_events(snapshot, "alloc", 90002) == 0);
  CHECK(count_events(snapshot, "free_completed", 90003) == 1);
  CHECK(count_blocks(snapshot, 90004) == 1);
  for (const char* action : {"segment_alloc", "alloc"})
    CHECK(count_events(snapshot, action, 90004) == 1);
  CHECK(count_events(snapshot, "free_requested", 90004) == 0);
  for (const char* action : {"segment_alloc", "alloc", "free_requested", "free_completed", "segment_free"}) {
    CHECK(count_events(snapshot, action, 90005) == 1);
  }
  CHECK(count_blocks(snapshot, 90005) == 0);
}

TEST_CASE("operators stand in the stacks where they begin") {
  const CpuRecording recording;
  const at::Tensor product = at::mm(at::ones({113, 7}), at::ones({7, 113}));
  const SnapshotData snapshot = recording.snapshot();
  const StackIndex stack = event_of(snapshot, "alloc", 113 * 113 * 4).stack;
  REQUIRE(stack != kNoStack);
  const auto names = names_of(snapshot, stack);
  const auto place = std::find(names.begin(), names.end(), "aten::mm");
  REQUIRE(place != names.end());
  REQUIRE(place + 1 != names.end());
  CHECK((place + 1)->find("at::_ops::mm::call") != std::string::npos);
}

TEST_CASE("merge_operators keeps every frame of both stacks") {
  const std::vector<FrameData> frames{{"kernel", "", 0},
                                      {"at::_ops::mul__Scalar::call(X)", "", 0},
                                      {"main", "", 0},
                                      {"aten::mul_", "operator", 0},
                                      {"mine::op", "operator", 0}};
  const std::vector<std::uint32_t> native{0, 1, 2};
  const std::string mul = "aten::mul_";
  const std::string mine = "mine::op";
  using Frames = std::vector<std::uint32_t>;
  const auto merge = [&](std::vector<OperatorFrame> operators) { return merge_operators(native, operators, frames); };
  CHECK(merge({{&mul, 3}}) == Frames{0, 3, 1, 2});
  CHECK(merge({{&mul, 3}, {&mine, 4}}) == Frames{0, 4, 3, 1, 2});
  CHECK(merge({{&mine, 4}, {&mul, 3}}) == Frames{0, 3, 1, 4, 2});
  CHECK(merge({{&mine, 4}}) == Frames{4, 0, 1, 2});
  CHECK(merge_operators({}, std::vector<OperatorFrame>{{&mine, 4}, {&mul, 3}}, frames) == Frames{3, 4});
  CHECK_FALSE(is_entry_of("at::_ops::mul__Scalar::call(X)", "aten::mul"));
  CHECK(is_entry_of("torch::autograd::generated::MmBackward0::apply(X)", "MmBackward0"));
}

TEST_CASE("options choose what is recorded") {
  RecorderOptions options;
  const auto run = [&options] {
    const CpuRecording recording(options);
    const at::Tensor kept = cpu_bytes(90011);
    cpu_bytes(90012);
    return recording.snapshot();
  };
  const auto block_stack = [](const SnapshotData& snapshot) {
    for (const auto& segment : snapshot.segments) {
      if (segment.total_size == 90011) return segment.blocks.at(0).stack;
    }
    throw std::runtime_error("no such block");
  };
  SUBCASE("context state: stacks of blocks only") {
    options.context = "state";
    const auto snapshot = run();
    CHECK(block_stack(snapshot) != kNoStack);
    CHECK(event_of(snapshot, "alloc", 90011).stack == kNoStack);
    CHECK(event_of(snapshot, "free_completed", 90012).stack == kNoStack);
  }
  SUBCASE("context alloc: frees have the stack of their allocation") {
    options.context = "alloc";
    const auto snapshot = run();
    CHECK(event_of(snapshot, "alloc", 90012).stack != kNoStack);
    CHECK(event_of(snapshot, "free_completed", 90012).stack == event_of(snapshot, "alloc", 90012).stack);
  }
  SUBCASE("context all: frees have their own") {
    const auto snapshot = run();
    CHECK(event_of(snapshot, "free_completed", 90012).stack != event_of(snapshot, "alloc", 90012).stack);
  }
  SUBCASE("no context: no stacks") {
    options.context = "";
    const auto snapshot = run();
    CHECK(block_stack(snapshot) == kNoStack);
    CHECK(event_of(snapshot, "alloc", 90012).stack == kNoStack);
  }
  SUBCASE("stacks python: operators only") {
    options.stacks = "python";
    const auto snapshot = run();
    CHECK(names_of(snapshot, block_stack(snapshot)) == std::vector<std::string>{"aten::empty"});
  }
  SUBCASE("enabled state: no events") {
    options.enabled = "state";
    const auto snapshot = run();
    CHECK(snapshot.traces.at(0).empty());
    CHECK(block_stack(snapshot) != kNoStack);
  }
  SUBCASE("skip_actions") {
    options.skip_actions = {"segment_alloc", "segment_free", "free_requested"};
    const auto snapshot = run();
    CHECK(count_events(snapshot, "segment_alloc", 90011) == 0);
    CHECK(count_events(snapshot, "free_requested", 90012) == 0);
    CHECK(count_events(snapshot, "alloc", 90011) == 1);
    CHECK(out_of_balance(snapshot) == 0);
  }
}

TEST_CASE("the ring is bounded") {
  RecorderOptions options;
  SUBCASE("in entries") {
    options.max_entries = 10;
    const CpuRecording recording(options);
    for (int i = 0; i < 100; ++i)
      cpu_bytes(90020);
    const at::Tensor kept = cpu_bytes(90021);
    const auto snapshot = recording.snapshot();
    CHECK(snapshot.traces.at(0).size() <= 10);
    CHECK(snapshot.traces.at(0).size() >= 6);
    CHECK(count_events(snapshot, "alloc", 90021) == 1); // the newest stay
    CHECK(out_of_balance(snapshot) == 0);
  }
  SUBCASE("in bytes, stacks included") {
    constexpr std::size_t max_bytes = 1 << 16;
    CpuHistory history({}, 1'000'000, max_bytes);
    std::vector<void*> addresses(50);
    for (std::uint64_t i = 1; i < 5000; ++i) {
      addresses[0] = reinterpret_cast<void*>(i); // every stack is new
      const StackPair stack = history.add_stack({addresses, {}});
      history.add_record({i, 1, 0, stack, CpuRecord::Kind::allocation});
      REQUIRE(history.bytes() <= max_bytes);
    }
    CHECK(history.is_overflowed());
    REQUIRE_FALSE(history.records().empty());
    const CpuRecord& newest = history.records().back();
    CHECK(newest.address == 4999);
    CHECK(history.native_stacks()[newest.stack.native][0] == reinterpret_cast<void*>(4999)); // NOLINT
  }
  SUBCASE("in bytes, when living memory alone has too many stacks") {
    constexpr std::size_t max_bytes = 1 << 16;
    CpuHistory history({}, 1'000'000, max_bytes);
    std::vector<void*> addresses(50);
    for (std::uint64_t i = 1; i < 5000; ++i) {
      addresses[0] = reinterpret_cast<void*>(i);
      const StackPair stack = history.add_stack({addresses, {}});
      history.add_live(i, stack);
      history.add_record({i, 1, 0, stack, CpuRecord::Kind::allocation});
      REQUIRE(history.bytes() <= max_bytes);
    }
  }
}

TEST_CASE("annotations and user scopes are recorded") {
  const TemporaryFolder folder;
  Recorder recorder;
  { const Annotation unheard("before"); }
  recorder.start(cpu_options());
  {
    const Annotation annotation("step <1>");
    RECORD_USER_SCOPE("scope");
  }
  recorder.dump(folder.path() / "a.pickle");
  CHECK(std::filesystem::file_size(folder.path() / "a.pickle") > 0);
  recorder.stop();
  { const Annotation unheard("after"); }

  AnnotationRing ring(2, 1 << 16);
  for (const char* name : {"a", "b", "c"})
    ring.add(name, "START", 1);
  REQUIRE(ring.oldest_first().size() == 2);
  CHECK(ring.oldest_first().front().name == "b");
  AnnotationRing small(100, 1000);
  for (int i = 0; i < 100; ++i)
    small.add(std::string(100, 'x'), "END", i);
  CHECK(small.oldest_first().size() < 10);
  CHECK(small.oldest_first().back().time_us == 99);
}

TEST_CASE("threads allocate while it dumps") {
  RecorderOptions options;
  options.max_entries = 5000; // the ring turns over meanwhile
  options.stacks = "python";
  const CpuRecording recording(options);
  std::atomic<bool> goes_on = true;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&goes_on] {
      std::vector<at::Tensor> kept(7);
      for (std::size_t turn = 0; goes_on; ++turn)
        kept[turn % kept.size()] = cpu_bytes(1 + static_cast<std::int64_t>(turn % 9000));
    });
  }
  for (int i = 0; i < 20; ++i)
    CHECK(out_of_balance(recording.snapshot()) == 0);
  goes_on = false;
  for (std::thread& thread : threads)
    thread.join();
  CHECK(out_of_balance(recording.snapshot()) == 0);
}

TEST_CASE("recordings start and stop while threads compute") {
  std::atomic<bool> goes_on = true;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&goes_on] {
      while (goes_on)
        at::add(at::ones({20}), at::ones({20}));
    });
  }
  RecorderOptions options;
  options.stacks = "python";
  for (int round = 0; round < 200; ++round)
    CHECK(out_of_balance(CpuRecording(options).snapshot()) == 0);
  goes_on = false;
  for (std::thread& thread : threads)
    thread.join();
  // What comes after is recorded with its operators, and with none of those that ran across a stop.
  const CpuRecording recording(options);
  const at::Tensor sum = at::ones({1234}) + 1;
  const SnapshotData snapshot = recording.snapshot();
  CHECK(names_of(snapshot, event_of(snapshot, "alloc", 1234 * sizeof(float)).stack) ==
        std::vector<std::string>{"aten::empty", "aten::ones"});
}

TEST_CASE("one thread dumps while another stops and starts") {
  const TemporaryFolder folder;
  RecorderOptions options = cpu_options();
  options.stacks = "python";
  const at::Tensor kept = cpu_bytes(90051);
  Recorder recorder;
  recorder.start(options);
  std::atomic<bool> goes_on = true;
  std::thread other([&] {
    while (goes_on) {
      recorder.stop();
      recorder.start(options);
      std::this_thread::sleep_for(std::chrono::microseconds(200)); // a lock that is never free is no test of dump()
    }
  });
  int dumps = 0;
  for (int round = 0; round < 10'000 && dumps < 100; ++round) {
    try {
      recorder.dump(folder.path() / "a.pickle");
      ++dumps;
    } catch (const std::runtime_error& error) {
      REQUIRE(std::string_view(error.what()).find("start() was not called") != std::string_view::npos);
    }
  }
  goes_on = false;
  other.join();
  CHECK(dumps > 0);
}

TEST_CASE("memory outlives the recording, and the next one knows it") {
  at::Tensor kept;
  {
    const CpuRecording recording;
    kept = cpu_bytes(90031);
  }
  const CpuRecording second;
  CHECK(count_blocks(second.snapshot(), 90031) == 1);
  kept.reset();
  const auto snapshot = second.snapshot();
  CHECK(count_blocks(snapshot, 90031) == 0);
  CHECK(count_events(snapshot, "free_completed", 90031) == 1);
}

TEST_CASE("an exception in the middle of an operator leaves the next stacks right") {
  const CpuRecording recording;
  CHECK_THROWS(at::mm(at::ones({2, 3}), at::ones({2, 3})));
  const at::Tensor kept = cpu_bytes(90041);
  const auto snapshot = recording.snapshot();
  const auto names = names_of(snapshot, event_of(snapshot, "alloc", 90041).stack);
  CHECK(contains(names, "aten::empty"));
  CHECK_FALSE(contains(names, "aten::mm"));
}
