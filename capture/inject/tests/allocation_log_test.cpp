#include "allocation_log.hpp"
#include "call_stack.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>

using memviz::capture::EventData;
using memviz::capture::kNoStack;
using memviz::capture::SnapshotData;
using memviz::inject::Allocation;
using memviz::inject::AllocationLog;
using memviz::inject::CallStack;
using memviz::inject::make_snapshot;

namespace {

constexpr memviz::inject::Limits kAmple{1'000'000, std::size_t{1} << 30U};

Allocation allocation_at(std::uint64_t address, std::uint64_t bytes, int device = 0) {
  Allocation allocation;
  allocation.device = device;
  allocation.address = address;
  allocation.size = allocation.requested_size = bytes;
  allocation.function = "cuMemAlloc";
  return allocation;
}

std::string actions_of(const std::vector<EventData>& trace) {
  std::string actions;
  for (const EventData& event : trace)
    actions += std::string(event.action) + " ";
  return actions;
}

/// Returns the memory live before the trace plus its allocations minus its frees, minus the bytes of the blocks; it
/// must be 0.
std::int64_t imbalance_of(const SnapshotData& snapshot) {
  std::map<std::uint64_t, std::uint64_t> live;
  std::int64_t baseline = 0;
  std::int64_t change = 0;
  for (const std::vector<EventData>& trace : snapshot.traces) {
    for (const EventData& event : trace) {
      const std::string action = event.action;
      if (action == "alloc") {
        CHECK_FALSE(live.contains(event.address));
        live[event.address] = event.size;
        change += static_cast<std::int64_t>(event.size);
      } else if (action == "free_completed") {
        if (live.erase(event.address) == 0) baseline += static_cast<std::int64_t>(event.size);
        change -= static_cast<std::int64_t>(event.size);
      }
    }
  }
  std::int64_t blocks = 0;
  for (const auto& segment : snapshot.segments) {
    for (const auto& block : segment.blocks) {
      blocks += static_cast<std::int64_t>(block.requested_size);
      if (!live.contains(block.address)) baseline += static_cast<std::int64_t>(block.requested_size);
    }
  }
  return baseline + change - blocks;
}

} // namespace

__attribute__((noinline)) void allocate_in_a_named_function(AllocationLog& log) {
  const CallStack stack(32);
  log.allocated(allocation_at(0x1000, 10), {stack.addresses(), 1});
  asm volatile(""); // no tail call: the frame must exist
}

TEST_CASE("inject log: each allocation is a segment, each call its events") {
  AllocationLog log(kAmple);
  log.allocated(allocation_at(0x1000, 1024), {{}, 1});
  log.allocated(allocation_at(0x9000, 4096, 2), {{}, 2});
  log.allocated(allocation_at(0x2000, 512), {{}, 3});
  REQUIRE(log.freed(0x1000, {{}, 4}).has_value());
  CHECK_FALSE(log.freed(0x1000, {{}, 5}).has_value());
  log.failed(allocation_at(0, 1U << 30U), 12345, {{}, 6});

  const SnapshotData snapshot = make_snapshot(log.copy());
  REQUIRE(snapshot.traces.size() == 3);
  CHECK(actions_of(snapshot.traces[0]) ==
        "segment_alloc alloc segment_alloc alloc free_requested free_completed segment_free oom ");
  CHECK(snapshot.traces[1].empty());
  CHECK(actions_of(snapshot.traces[2]) == "segment_alloc alloc ");
  CHECK(snapshot.traces[0].back().address == 12345);
  CHECK(snapshot.traces[0].back().size == 1U << 30U);
  REQUIRE(snapshot.segments.size() == 2);
  CHECK(snapshot.segments[0].address == 0x2000);
  CHECK(snapshot.segments[1].device == 2);
  CHECK(snapshot.segments[1].total_size == 4096);
  CHECK(imbalance_of(snapshot) == 0);
}

TEST_CASE("inject log: memory that was freed unseen does not stay") {
  AllocationLog log(kAmple);
  log.allocated(allocation_at(0x1000, 0x1000), {});
  log.allocated(allocation_at(0x3000, 0x1000), {});
  SUBCASE("the same address comes again") {
    log.allocated(allocation_at(0x1000, 0x800), {});
  }
  SUBCASE("a range over the end of one and the begin of the other") {
    log.allocated(allocation_at(0x1800, 0x2000), {});
    CHECK(log.copy().live.size() == 1);
  }
  SUBCASE("its neighbours stay") {
    log.allocated(allocation_at(0x2000, 0x1000), {});
    CHECK(log.copy().live.size() == 3);
  }
  CHECK(imbalance_of(make_snapshot(log.copy())) == 0);
}

TEST_CASE("inject log: ranges are unmapped, contexts are destroyed") {
  AllocationLog log(kAmple);
  for (std::uint64_t number = 0; number < 4; ++number) {
    Allocation allocation = allocation_at(0x1000 * (number + 1), 0x1000);
    allocation.context = number == 3 ? 7 : 0;
    log.allocated(allocation, {});
  }
  log.range_freed(0x2000, 0x2000, {});
  CHECK(log.copy().live.size() == 2);
  log.context_destroyed(0, {}); // memory of no context
  CHECK(log.copy().live.size() == 2);
  log.context_destroyed(7, {});
  CHECK(log.copy().live.size() == 1);
  log.range_freed(0x1000, ~std::uint64_t{0}, {});
  CHECK(log.copy().live.empty());
  CHECK(imbalance_of(make_snapshot(log.copy())) == 0);
}

TEST_CASE("inject log: the history is bounded, what lives is not lost") {
  AllocationLog log({10, std::size_t{1} << 30U});
  for (std::uint64_t number = 1; number <= 100; ++number) {
    log.allocated(allocation_at(0x1000 * number, number), {});
    if (number % 2 == 0) log.freed(0x1000 * number, {});
  }
  const auto copy = log.copy();
  CHECK(copy.history.size() == 10);
  CHECK(copy.dropped_entries == 140);
  CHECK(copy.live.size() == 50);
  CHECK(imbalance_of(make_snapshot(copy)) == 0);
}

TEST_CASE("inject log: host memory is bounded") {
  constexpr std::size_t kBytes = 100'000;
  AllocationLog log({1'000'000, kBytes});
  std::vector<char> code(9'973); // its addresses stand for code
  for (std::size_t number = 0; number < 10'000; ++number) {
    void* stack[] = {&code[number % code.size()], &code[number / 100]};
    log.allocated(allocation_at(0x1000, 16), {stack, 0});
    log.freed(0x1000, {});
  }
  CHECK(log.bytes() <= kBytes);
  CHECK(log.copy().dropped_stacks > 0);
  CHECK(log.copy().dropped_entries > 0);
  CHECK(imbalance_of(make_snapshot(log.copy())) == 0);
}

TEST_CASE("inject log: stacks have names, without the recorder's own frames") {
  AllocationLog log(kAmple);
  allocate_in_a_named_function(log);
  const SnapshotData snapshot = make_snapshot(log.copy());
  REQUIRE(snapshot.segments.size() == 1);
  REQUIRE(snapshot.segments[0].stack != kNoStack);
  // In this program, recorder and program are one module, so all frames except the system's are omitted.
  for (const auto& frames : snapshot.stacks) {
    for (const std::uint32_t frame : frames)
      REQUIRE(frame < snapshot.frames.size());
  }
  bool is_found = false;
  for (const auto& frame : snapshot.frames) {
    is_found = is_found || frame.name.find("allocate_in_a_named_function(") != std::string::npos;
  }
  CHECK(is_found);
}

TEST_CASE("inject log: threads report while another copies") {
  AllocationLog log(kAmple);
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&log, thread] {
      for (std::uint64_t number = 0; number < 2000; ++number) {
        const std::uint64_t address = (thread << 32U) + 0x1000 * (number % 10);
        log.allocated(allocation_at(address, 64), {});
        if (number % 3 != 0) log.freed(address, {});
      }
    });
  }
  for (int round = 0; round < 20; ++round)
    CHECK(imbalance_of(make_snapshot(log.copy())) == 0);
  for (std::thread& thread : threads)
    thread.join();
  CHECK(imbalance_of(make_snapshot(log.copy())) == 0);
}

namespace {

__attribute__((noinline)) double ns_per_stack_below(int frames) {
  if (frames > 0) {
    const double ns = ns_per_stack_below(frames - 1);
    asm volatile("");
    return ns;
  }
  constexpr int kRounds = 2000;
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds; ++round) {
    const CallStack stack(128);
    CHECK_UNARY(!stack.addresses().empty());
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kRounds;
}

} // namespace

TEST_CASE("inject: cost of a dump" * doctest::skip()) {
  constexpr std::uint64_t kCalls = 100'000;
  AllocationLog log(kAmple);
  for (std::uint64_t call = 0; call < kCalls / 2; ++call) {
    // 60 frames, different in each call: addresses of this program's data, which are looked up as well.
    static std::vector<char> code(100'000);
    std::vector<void*> stack(60);
    for (std::size_t frame = 0; frame < stack.size(); ++frame)
      stack[frame] = &code[call + 7 * frame];
    log.allocated(allocation_at(0x1000 + 0x1000 * call, 64), {stack, 0});
    if (call % 2 == 0) log.freed(0x1000 + 0x1000 * call, {stack, 1});
  }
  const std::size_t bytes = log.bytes();
  const auto begin = std::chrono::steady_clock::now();
  const SnapshotData snapshot = make_snapshot(log.copy());
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  MESSAGE(snapshot.stacks.size() << " stacks of 60 frames, " << bytes << " host bytes, " << seconds
                                 << " s to a snapshot in memory");
}

TEST_CASE("inject: cost of a call stack and of an entry" * doctest::skip()) {
  for (const int frames : {0, 20, 50}) {
    const CallStack here(128);
    MESSAGE("about " << here.addresses().size() + static_cast<std::size_t>(frames)
                     << " frames: " << ns_per_stack_below(frames) << " ns a stack");
  }
  AllocationLog log(kAmple);
  constexpr std::uint64_t kCalls = 500'000;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t number = 0; number < kCalls / 2; ++number) {
    log.allocated(allocation_at(0x1000 + 0x1000 * (number % 1000), 64), {});
    log.freed(0x1000 + 0x1000 * (number % 1000), {});
  }
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  const std::size_t bytes = log.bytes() / kCalls;
  MESSAGE("an entry without stack: " << ns / kCalls << " ns, " << bytes << " host bytes");
}
