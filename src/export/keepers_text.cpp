#include "export/keepers_text.hpp"

#include "base/first_of.hpp"
#include "base/printable.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/keeper_words.hpp"

#include <string_view>

namespace memviz {
namespace {

constexpr std::size_t kMostKeeperTotals = 8;
constexpr std::size_t kKeeperRowColumns = 64;

class KeeperTotals {
public:
  KeeperTotals(std::uint64_t total_bytes, std::string_view keeper) : total_bytes_(total_bytes) {
    table_.add_row({"requested", "share", "blocks", std::string(keeper)});
  }
  void add(std::uint64_t bytes, std::uint64_t blocks, const std::string& keeper) {
    if (blocks > 0 || bytes > 0)
      table_.add_row({format_bytes(bytes), format_percent(bytes, total_bytes_), format_count(blocks), keeper});
  }
  [[nodiscard]] std::string text() const { return table_.text("  "); }

private:
  std::uint64_t total_bytes_;
  TextTable table_{Align::right, Align::right, Align::right, Align::left};
};

std::string path_text(const FrameTable& frames, const KeeperGroup& group) {
  const std::string text = keeper_path_and_root(frames, group.steps);
  return group.is_in_graph ? text + ", through its graph" : text;
}

} // namespace

std::string keepers_text(const FrameTable& frames, const DeviceKeepers& keepers) {
  const KeeperAccount& account = keepers.account;
  if (account.total_bytes() == 0) return "";
  KeeperTotals rows(account.total_bytes(), "keeper");
  std::uint64_t other_bytes = account.kept_bytes;
  std::uint64_t other_blocks = keepers.blocks.kept;
  for (const KeptVariable* const variable : largest_variables(keepers, kMostKeeperTotals)) {
    rows.add(variable->bytes(), variable->blocks, elided(variable_text(frames, *variable), kKeeperRowColumns));
    other_bytes -= variable->bytes();
    other_blocks -= variable->blocks;
  }
  rows.add(other_bytes, other_blocks, "other variables");
  rows.add(account.cycle_bytes, keepers.blocks.cycle, "cycles, until the garbage collector runs");
  rows.add(account.temporary_bytes, keepers.blocks.temporary, "temporaries, or held by C++");
  rows.add(account.no_object_bytes, keepers.blocks.no_object, "no Python object");
  rows.add(account.unknown_bytes, keepers.blocks.unknown, "unknown: the walk over the heap ended early");
  return "  keepers of memory in use\n" + rows.text();
}

std::string keeper_paths_text(const FrameTable& frames, const DeviceKeepers& keepers) {
  std::uint64_t other_bytes = keepers.account.total_bytes();
  std::uint64_t other_blocks = keepers.blocks.total();
  if (other_bytes == 0) return "";
  KeeperTotals rows(other_bytes, "path from a variable");
  for (const KeeperGroup& group : first_of(keepers.groups, kMostKeeperTotals)) {
    rows.add(group.bytes, group.blocks, path_text(frames, group));
    other_bytes -= group.bytes;
    other_blocks -= group.blocks;
  }
  rows.add(other_bytes, other_blocks, "other paths");
  return rows.text();
}

} // namespace memviz
