#include "native_stack.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

using namespace memviz::capture;

// Exported or not, the names of these must be found: neither namespace nor `static`.
__attribute__((noinline)) std::vector<void*> native_stack_test_inner() {
  std::vector<void*> stack = gather_native_stack();
  asm volatile("" ::: "memory"); // no tail call
  return stack;
}

__attribute__((noinline)) std::vector<void*> native_stack_test_deep(std::size_t depth) {
  std::vector<void*> stack = depth == 0 ? native_stack_test_inner() : native_stack_test_deep(depth - 1);
  asm volatile("" ::: "memory");
  return stack;
}

namespace {

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("gather_native_stack: begins with its caller and ends at main") {
  const auto frames = symbolize(native_stack_test_deep(3));
  REQUIRE(frames.size() > 6);
  CHECK(has(frames[0].name, "native_stack_test_inner"));
  for (std::size_t i = 1; i <= 4; ++i)
    CHECK(has(frames[i].name, "native_stack_test_deep"));
  CHECK_FALSE(has(frames[5].name, "native_stack_test"));
  const auto is_main = [](const FrameData& frame) { return frame.name == "main"; };
  CHECK(std::any_of(frames.begin(), frames.end(), is_main));
}

TEST_CASE("gather_native_stack: keeps the innermost frames of a deep stack") {
  const auto stack = native_stack_test_deep(1000);
  REQUIRE(stack.size() == kMaxDepth);
  CHECK(has(symbolize(stack)[0].name, "native_stack_test_inner"));
}

TEST_CASE("gather_native_stack: in several threads at once") {
  std::vector<std::vector<void*>> stacks(4);
  std::vector<std::thread> threads;
  for (auto& stack : stacks) {
    threads.emplace_back([&stack] {
      for (int i = 0; i < 1000; ++i)
        stack = native_stack_test_deep(5);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const auto& stack : stacks)
    CHECK(has(symbolize(stack)[0].name, "native_stack_test_inner"));
}

TEST_CASE("symbolize: keeps the order, and survives addresses that are none") {
  const std::vector<void*> stack = native_stack_test_deep(1);
  int local = 0;
  const std::vector<void*> addresses = {nullptr, stack[1], &local, stack[0], stack[1], reinterpret_cast<void*>(~0ULL)};
  const auto frames = symbolize(addresses);
  REQUIRE(frames.size() == addresses.size());
  CHECK(has(frames[1].name, "native_stack_test_deep"));
  CHECK(has(frames[3].name, "native_stack_test_inner"));
  CHECK(frames[4].name == frames[1].name);
  for (const std::size_t none : {0U, 2U, 5U}) {
    CHECK(frames[none].name == "??");
    CHECK(frames[none].filename == "??");
    CHECK(frames[none].line == 0);
  }
  CHECK(symbolize({}).empty());
}

TEST_CASE("symbolize: a return address belongs to the call before it") {
  // The first instruction behind `abort` is the last that a call there can return to.
  Dl_info info{};
  REQUIRE(dladdr(reinterpret_cast<void*>(&std::abort), &info) != 0);
  void* begin = info.dli_saddr;
  const auto frames = symbolize(std::vector<void*>{static_cast<char*>(begin) + 1, begin});
  CHECK(frames[0].name == "abort");
  CHECK(frames[1].name != "abort");
  CHECK(has(frames[0].filename, "libc"));
}

TEST_CASE("add_native_stacks: stacks of this process") {
  StackTable table;
  volatile int times = 2; // unrolled, the loop would be two calls from two addresses
  for (int i = 0; i < times; ++i)
    table.add(native_stack_test_deep(2));
  SnapshotData snapshot;
  CHECK(add_native_stacks(table, snapshot) == 0);
  REQUIRE(snapshot.stacks.size() == 1);
  CHECK(has(snapshot.frames[snapshot.stacks[0][0]].name, "native_stack_test_inner"));
}
