#include "story/holders.hpp"

#include "memviz/format.hpp"

#include <fmt/format.h>
#include <utility>

namespace memviz {
namespace {

constexpr std::size_t kFewestRows = 3;
constexpr std::uint64_t kWorthARow = 1000;

std::string rest_text(const HoldersLeftOut& left_out, const HolderTableWords& words) {
  if (left_out.holders == 0) return "";
  const std::string count = format_counted(left_out.holders, fmt::format("more {}", words.rest_noun));
  return words.has_rest_bytes ? fmt::format("and {} with {} together", count, format_bytes(left_out.bytes))
                              : "and " + count;
}

} // namespace

HolderTable holder_table(const std::vector<UserLine>& holders, std::uint64_t whole_bytes, const HolderTableWords& words,
                         const HolderTableLimit& limit) {
  HolderTable table{.heading = words.heading, .rows = {}, .left_out = {}, .rest = {}};
  const auto add = [&](const NodeKey& key, const Amount& amount) -> HolderRow& {
    return table.rows.emplace_back(
        HolderRow{key, amount, format_percent(amount.bytes, whole_bytes), format_counted(amount.blocks, words.noun)});
  };
  std::size_t shown = 0;
  for (const UserLine& holder : holders) {
    const bool is_small = holder.amount.bytes < whole_bytes / kWorthARow && shown >= kFewestRows;
    if (shown == limit.most || (limit.omits_small && is_small)) {
      ++table.left_out.holders;
      table.left_out.bytes += holder.amount.bytes;
      continue;
    }
    ++shown;
    add(holder.key, holder.amount).kinds = holder.kinds;
    for (const InnerLine& inner : holder.within)
      add(inner.frame, inner.amount).is_within = true;
  }
  table.rest = table.rows.empty() ? std::string(words.nothing) : rest_text(table.left_out, words);
  return table;
}

void add_named_row(HolderTable& table, const Amount& amount, std::uint64_t whole_bytes, std::string name) {
  if (amount.blocks == 0 && amount.bytes == 0) return;
  HolderRow& row = table.rows.emplace_back();
  row.amount = amount;
  row.share = format_percent(amount.bytes, whole_bytes);
  row.name = std::move(name);
}

HolderTable pins_table(const Pins& pins, std::string heading, std::size_t most) {
  std::vector<UserLine> lines;
  for (const PinningLine& line : pins.lines)
    lines.push_back({line.key, {line.held_bytes, line.active.blocks}});
  return holder_table(lines, pins.held_bytes, {.heading = std::move(heading), .nothing = "", .has_rest_bytes = false},
                      {.most = most});
}

std::vector<NodeKey> keys_of(const HolderTable& table) {
  std::vector<NodeKey> keys;
  for (const HolderRow& row : table.rows)
    keys.push_back(row.key);
  return keys;
}

} // namespace memviz
