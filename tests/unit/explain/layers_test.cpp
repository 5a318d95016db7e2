#include "analysis/causes/layers.hpp"

#include <doctest/doctest.h>
#include <initializer_list>
#include <utility>
#include <vector>

namespace memviz {

namespace {

using StackAndBytes = std::pair<std::uint32_t, std::uint64_t>;

std::vector<LiveBlock> blocks(std::initializer_list<StackAndBytes> all) {
  std::vector<LiveBlock> made;
  for (const StackAndBytes& block : all) {
    made.emplace_back();
    made.back().stack = StackId{block.first};
    made.back().bytes = block.second;
  }
  return made;
}

/// An embedding, four layers of a weight and a bias, a norm.
std::vector<LiveBlock> parameters() {
  return blocks({{1, 900}, {1, 64}, {1, 8}, {1, 64}, {1, 8}, {1, 64}, {1, 8}, {1, 64}, {1, 8}, {1, 5}});
}

} // namespace

TEST_CASE("layers: a pass that has begun its third of four layers has 3 of 8 blocks to make") {
  const Layers found = find_layers(parameters(), blocks({{9, 50}, {2, 10}, {3, 30}, {2, 10}, {3, 30}, {2, 10}}), {3});
  CHECK(found.count == 4);
  CHECK(found.done == 2);
  CHECK(found.to_come_bytes == 4 * 40 - 90);
}

TEST_CASE("layers: nothing is to come if the next allocation is none of a layer's") {
  const Layers found = find_layers(parameters(), blocks({{2, 10}, {3, 30}, {2, 10}, {3, 30}}), {7});
  CHECK(found.done == 2);
  CHECK(found.count == 0);
  CHECK(found.to_come_bytes == 0);
}

TEST_CASE("layers: nothing is to come if as many groups of blocks are there as groups of parameters") {
  const Layers found = find_layers(parameters(), blocks({{2, 10}, {2, 10}, {2, 10}, {2, 10}, {2, 10}}), {2});
  CHECK(found.done == 5);
  CHECK(found.count == 0);
}

TEST_CASE("layers: no block and one block have no layers") {
  CHECK(find_layers({}, {}, {2}).done == 0);
  CHECK(find_layers(parameters(), blocks({{2, 10}}), {2}).done == 0);
}

} // namespace memviz
