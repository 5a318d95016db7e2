#include "stack_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>
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
