#include "export/keepers_text.hpp"

#include "base/first_of.hpp"
#include "base/printable.hpp"
#include "export/holders_text.hpp"
#include "story/keeper_words.hpp"

#include <utility>

namespace memviz {
namespace {

constexpr std::size_t kMostKeeperTotals = 8;
constexpr std::size_t kKeeperRowColumns = 64;

std::string path_text(const FrameTable& frames, const KeeperGroup& group) {
  const std::string text = keeper_path_and_root(frames, group.steps);
  return group.is_in_graph ? text + ", through its graph" : text;
}

} // namespace

std::string keepers_text(const FrameTable& frames, const DeviceKeepers& keepers) {
  const KeeperAccount& account = keepers.account;
  if (account.total_bytes() == 0) return "";
  HolderTable table;
  const auto add = [&](std::uint64_t bytes, std::uint64_t blocks, std::string keeper) {
    add_named_row(table, {bytes, blocks}, account.total_bytes(), std::move(keeper));
  };
  std::uint64_t other_bytes = account.kept_bytes;
  std::uint64_t other_blocks = keepers.blocks.kept;
  for (const KeptVariable* const variable : largest_variables(keepers, kMostKeeperTotals)) {
    add(variable->bytes(), variable->blocks, elided(variable_text(frames, *variable), kKeeperRowColumns));
    other_bytes -= variable->bytes();
    other_blocks -= variable->blocks;
  }
  add(other_bytes, other_blocks, "other variables");
  add(account.cycle_bytes, keepers.blocks.cycle, "cycles, until the garbage collector runs");
  add(account.temporary_bytes, keepers.blocks.temporary, "temporaries, or held by C++");
  add(account.no_object_bytes, keepers.blocks.no_object, "no Python object");
  add(account.unknown_bytes, keepers.blocks.unknown, "unknown: the walk over the heap ended early");
  return "  keepers of memory in use\n" + holders_text(frames, table, {.head = "keeper"});
}

std::string keeper_paths_text(const FrameTable& frames, const DeviceKeepers& keepers) {
  std::uint64_t other_bytes = keepers.account.total_bytes();
  std::uint64_t other_blocks = keepers.blocks.total();
  if (other_bytes == 0) return "";
  HolderTable table;
  const std::uint64_t whole_bytes = other_bytes;
  for (const KeeperGroup& group : first_of(keepers.groups, kMostKeeperTotals)) {
    add_named_row(table, {group.bytes, group.blocks}, whole_bytes, path_text(frames, group));
    other_bytes -= group.bytes;
    other_blocks -= group.blocks;
  }
  add_named_row(table, {other_bytes, other_blocks}, whole_bytes, "other paths");
  return holders_text(frames, table, {.head = "path from a variable"});
}

} // namespace memviz
