#include "native_stack.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace memviz::capture;

namespace {

std::vector<void*> addresses(std::initializer_list<std::uintptr_t> values) {
  std::vector<void*> result;
  for (const std::uintptr_t value : values)
    result.push_back(reinterpret_cast<void*>(value));
  return result;
}

std::vector<void*> copy(std::span<void* const> stack) {
  return {stack.begin(), stack.end()};
}

std::vector<std::string> names(const SnapshotData& snapshot, StackIndex stack) {
  std::vector<std::string> result;
  for (const std::uint32_t frame : snapshot.stacks[stack])
    result.push_back(snapshot.frames[frame].name);
  return result;
}

} // namespace

TEST_CASE("StackTable: equal stacks are one") {
  StackTable table;
  const auto first = addresses({1, 2, 3});
  const auto second = addresses({1, 2});
  CHECK(table.add(first) == 0);
  CHECK(table.add(second) == 1);
  CHECK(table.add({}) == 2);
  CHECK(table.add(first) == 0);
  CHECK(table.add({}) == 2);
  CHECK(table.size() == 3);
  CHECK(copy(table[0]) == first);
  CHECK(copy(table[1]) == second);
  CHECK(table[2].empty());
}

TEST_CASE("StackTable: many stacks, each found again, and their bytes counted") {
  StackTable table;
  const std::size_t empty_bytes = table.bytes();
  constexpr std::uintptr_t kStacks = 20'000;
  for (std::uintptr_t i = 0; i < kStacks; ++i)
    REQUIRE(table.add(addresses({i, i / 7, 5})) == i);
  for (std::uintptr_t i = 0; i < kStacks; ++i)
    REQUIRE(table.add(addresses({i, i / 7, 5})) == i);
  CHECK(table.size() == kStacks);
  CHECK(table.bytes() - empty_bytes >= kStacks * (3 * sizeof(void*) + sizeof(std::size_t)));
  CHECK(table.bytes() < kStacks * 160);
}

TEST_CASE("add_native_stacks: looks each address up once and makes equal places one frame") {
  StackTable table;
  table.add(addresses({1, 10, 20, 30}));
  table.add(addresses({1, 2, 11, 20, 1, 30}));
  table.add(addresses({1}));
  const std::map<std::uintptr_t, FrameData> known = {{1, {"memviz::capture::record()", "recorder.cpp", 1}},
                                                     {2, {"torch::unwind::unwind()", "unwind.cpp", 2}},
                                                     {10, {"forward", "model.cpp", 5}},
                                                     {11, {"forward", "model.cpp", 5}},
                                                     {20, {"step", "train.cpp", 6}},
                                                     {30, {"main", "train.cpp", 7}}};
  std::multiset<void*> asked;
  const auto look_up = [&](std::span<void* const> wanted) {
    std::vector<FrameData> frames;
    for (void* address : wanted) {
      asked.insert(address);
      frames.push_back(known.at(reinterpret_cast<std::uintptr_t>(address)));
    }
    return frames;
  };
  SnapshotData snapshot;
  snapshot.frames = {{"main", "train.cpp", 7}};
  snapshot.stacks = {{0}};
  const StackIndex first = add_native_stacks(table, snapshot, look_up);

  CHECK(first == 1);
  REQUIRE(snapshot.stacks.size() == 4);
  CHECK(asked.size() == known.size());
  CHECK(names(snapshot, 1) == std::vector<std::string>{"forward", "step", "main"});
  // The recorder's frames are left out at the innermost end only.
  CHECK(names(snapshot, 2) == std::vector<std::string>{"forward", "step", "memviz::capture::record()", "main"});
  CHECK(snapshot.stacks[3].empty());
  CHECK(snapshot.stacks[1][0] == snapshot.stacks[2][0]);
}
