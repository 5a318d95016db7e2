#include "memviz/keeper_answers.hpp"
#include "story/keeper_words.hpp"
#include "support/keeper_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <string>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("the path to a block has the items that it leads over: indices, keys, and modules of a list") {
  KeeperBuilder keepers;
  const int train = frame(keepers, "train");
  const int model = keepers.object("module", {.name = "Net"});
  const int layers = keepers.object("module", {.name = "torch.nn.ModuleList"});
  const int cache = keepers.object("dict", {.items = 13});
  keepers.refer(train, "local", "model", model).refer(model, "attribute", "layers", layers);
  keepers.refer(train, "local", "cache", cache);
  for (int i = 0; i < 13; ++i) {
    const int row = keepers.object("list", {.items = 2});
    keepers.refer(cache, "key", "request " + std::to_string(i), row);
    if (i == 4) keepers.refer(row, "index", 1, keepers.tensor(at(0), MiB));
  }
  const int layer = keepers.object("module", {.name = "Layer"});
  keepers.refer(layers, "attribute", "12", layer).refer(layer, "parameter", "weight", keepers.tensor(at(1), MiB));
  const int chosen = keepers.object("set", {.items = 1});
  keepers.refer(train, "local", "chosen", chosen).refer(chosen, "item", "", keepers.tensor(at(2), MiB));
  keepers.refer(train, "local", "x", keepers.tensor(at(3), MiB));
  const Recording recording = heap_of(keepers.python());
  const KeeperPaths paths = keeper_paths(recording);
  const auto named = [&](std::size_t block) {
    return keeper_path_text(recording.frames, paths.steps_of(paths.path_of_block[block]),
                            paths.items_until(paths.item_of_block[block]));
  };
  CHECK(named(0) == "cache['request 4'][1]");
  CHECK(named(1) == "model.layers[12].weight");
  CHECK(named(2) == "chosen[*]");
  CHECK(named(3) == "x");
  CHECK(paths.item_of_block[3] == kNoItem);
}

TEST_CASE("each block has the variable that keeps it, and each stack the one that keeps most of it") {
  KeeperBuilder keepers;
  const int serve = frame(keepers, "serve");
  const int cache = keepers.object("dict", {.items = 840});
  keepers.refer(serve, "local", "cache", cache).refer(serve, "local", "last", keepers.tensor(at(3), MiB));
  for (int i = 0; i < 3; ++i)
    keepers.refer(cache, "key", std::to_string(i), keepers.tensor(at(static_cast<std::uint64_t>(i)), MiB));
  const Recording recording = heap_of(keepers.python());
  const KeeperAnswers answers(recording);
  const BlockKeepers blocks = answers.of_blocks(DeviceId{0});
  REQUIRE(blocks.variables.size() == 2);
  REQUIRE(blocks.variable_of_block.size() == recording.end.blocks.size());
  CHECK(blocks.variable_of_block[2] == blocks.variable_of_block[0]);
  CHECK(blocks.variable_of_block[3] != blocks.variable_of_block[0]);
  CHECK_FALSE(blocks.variable_of_block[4]);
  CHECK(blocks.variables.at(*blocks.variable_of_block[0]).blocks == 3);

  const std::map<StackId, StackKeeper> stacks = answers.of_stacks(DeviceId{0});
  const StackKeeper& kept = stacks.at(recording.end.blocks[0].stack);
  CHECK(kept.stack_bytes == 10 * (MiB - KiB));
  CHECK(kept.bytes == 3 * (MiB - KiB));
  REQUIRE(kept.variable);
  CHECK(kept.variable->object.items == 840);
  CHECK_MESSAGE(stack_keeper_text(recording.frames, kept).empty(), "it keeps less than half");
  StackKeeper most = kept;
  most.stack_bytes = 2 * most.bytes;
  CHECK(stack_keeper_text(recording.frames, most) == "kept by `cache` (dict of 840) in serve train.py:12");
}
