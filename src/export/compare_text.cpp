#include "export/compare_text.hpp"

#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "text/printable.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace memviz {

namespace {

constexpr std::size_t kMostChanges = 10;
constexpr std::size_t kLabelColumns = 56;

/// Sizes of one machine fit in 63 bits; a file that claims more is clamped rather than shown with the wrong sign.
std::int64_t difference(std::uint64_t before_bytes, std::uint64_t after_bytes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (after_bytes >= before_bytes) return static_cast<std::int64_t>(std::min(after_bytes - before_bytes, kMost));
  return -static_cast<std::int64_t>(std::min(before_bytes - after_bytes, kMost));
}

std::string totals(const Comparison& comparison) {
  TextTable table{Align::left, Align::right, Align::right, Align::right};
  table.add_row({"", "before", "after", "change"});
  const auto add = [&](const std::string& name, std::uint64_t before_bytes, std::uint64_t after_bytes) {
    table.add_row({name, format_bytes(before_bytes), format_bytes(after_bytes),
                   format_delta(difference(before_bytes, after_bytes))});
  };
  add("reserved", comparison.before.reserved_bytes, comparison.after.reserved_bytes);
  add("allocated", comparison.before.allocated_bytes, comparison.after.allocated_bytes);
  add("pending free", comparison.before.pending_free_bytes, comparison.after.pending_free_bytes);
  add("inactive", comparison.before.inactive_bytes, comparison.after.inactive_bytes);
  return table.text("  ");
}

} // namespace

std::string compare_text(const Comparison& comparison) {
  std::string text = totals(comparison);
  if (comparison.changes.empty()) return text;
  TextTable table{Align::right, Align::right, Align::right, Align::left};
  const std::size_t shown = std::min(comparison.changes.size(), kMostChanges);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [key, change] = comparison.changes[i];
    table.add_row({format_bytes(change.before.bytes), format_bytes(change.after.bytes),
                   format_delta(change.delta_bytes()), elided(node_label(comparison.frames, key), kLabelColumns)});
  }
  text += "  largest changes, by the innermost line of your own code\n" + table.text("  ");
  if (comparison.changes.size() > shown)
    text += fmt::format("  and {} more\n", format_count(comparison.changes.size() - shown));
  return text;
}

} // namespace memviz
