#include "export/keepers_text.hpp"

#include "base/printable.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/keeper_words.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace memviz {
namespace {

constexpr std::size_t kMostKeeperRows = 8;
constexpr std::size_t kKeeperRowColumns = 64;

class KeeperTable {
public:
  explicit KeeperTable(std::uint64_t total_bytes) : total_bytes_(total_bytes) {
    table_.add_row({"requested", "share", "blocks", "keeper"});
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

} // namespace

std::string keepers_text(const FrameTable& frames, const DeviceKeepers& keepers) {
  const KeeperAccount& account = keepers.account;
  if (account.total_bytes() == 0) return "";
  std::vector<const KeptVariable*> variables;
  for (const KeptVariable& variable : keepers.variables)
    variables.push_back(&variable);
  std::ranges::stable_sort(variables, std::ranges::greater(), &KeptVariable::bytes);
  variables.resize(std::min(variables.size(), kMostKeeperRows));
  KeeperTable rows(account.total_bytes());
  std::uint64_t other_bytes = account.kept_bytes;
  std::uint64_t other_blocks = keepers.blocks.kept;
  for (const KeptVariable* const variable : variables) {
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

} // namespace memviz
