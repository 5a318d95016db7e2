#include "export/kinds_text.hpp"

#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/kinds.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace memviz {

namespace {

/// "by frames"; of two ways, how much by each.
std::string known_by(const KindAmount& amount) {
  if (amount.frames_bytes > 0 && amount.behaviour_bytes > 0)
    return fmt::format("by frames {}, by behaviour {}", format_bytes(amount.frames_bytes),
                       format_bytes(amount.behaviour_bytes));
  if (amount.frames_bytes > 0) return "by frames";
  return amount.behaviour_bytes > 0 ? "by behaviour" : "no rule tells";
}

} // namespace

std::string kinds_text(const MemoryState& state, DeviceId device) {
  if (state.kinds.empty()) return "";
  const KindAccount account = kind_account(state, device);
  std::uint64_t total_bytes = 0;
  std::vector<MemoryKind> kinds;
  for (std::size_t i = 0; i < account.size(); ++i) {
    total_bytes += account[i].bytes;
    if (account[i].bytes > 0) kinds.push_back(static_cast<MemoryKind>(i));
  }
  if (total_bytes == 0) return "";
  const auto amount_of = [&](MemoryKind kind) -> const KindAmount& { return account[static_cast<std::size_t>(kind)]; };
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](MemoryKind one, MemoryKind other) { return amount_of(one).bytes > amount_of(other).bytes; });
  TextTable table{Align::right, Align::right, Align::right, Align::left, Align::left};
  table.add_row({"requested", "share", "blocks", "kind", "known"});
  for (const MemoryKind kind : kinds) {
    const KindAmount& amount = amount_of(kind);
    table.add_row({format_bytes(amount.bytes), format_percent(amount.bytes, total_bytes), format_count(amount.blocks),
                   std::string(kind_name(kind)), known_by(amount)});
  }
  return "  kinds of memory in use\n" + table.text("  ");
}

} // namespace memviz
