#include "export/kinds_text.hpp"

#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/moment.hpp"
#include "story/kind_words.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace memviz {

namespace {

/// "by frames"; for several kinds of evidence, how much by each.
std::string known_by(const KindAmount& amount) {
  std::vector<std::size_t> ways;
  for (std::size_t i = 1; i < kKindEvidences; ++i)
    if (amount.bytes_by[i] > 0) ways.push_back(i);
  if (ways.empty()) return std::string(evidence_words(KindEvidence::none));
  std::string text;
  for (const std::size_t way : ways) {
    text += text.empty() ? "" : ", ";
    text += evidence_words(static_cast<KindEvidence>(way));
    if (ways.size() > 1) text += " " + format_bytes(amount.bytes_by[way]);
  }
  return text;
}

/// Returns the kinds that exist or existed, the largest first.
std::vector<std::size_t> kinds_of(const KindAccount& now, const KindAccount& peak) {
  const auto most = [&](std::size_t kind) { return std::max(now[kind].bytes, peak[kind].bytes); };
  std::vector<std::size_t> kinds;
  for (std::size_t i = 0; i < kMemoryKinds; ++i)
    if (most(i) > 0) kinds.push_back(i);
  std::ranges::stable_sort(kinds, std::ranges::greater(), most);
  return kinds;
}

std::string table_of(const KindAccount& now) {
  TextTable table{Align::right, Align::right, Align::right, Align::left, Align::left};
  table.add_row({"requested", "share", "blocks", "kind", "known"});
  const std::uint64_t total_bytes = bytes_of_kinds(now);
  for (const std::size_t i : kinds_of(now, {})) {
    const KindAmount& amount = now[i];
    table.add_row({format_bytes(amount.bytes), format_percent(amount.bytes, total_bytes), format_count(amount.blocks),
                   std::string(kind_name(static_cast<MemoryKind>(i))), known_by(amount)});
  }
  return table.text("  ");
}

std::string table_of(const KindAccount& now, const std::string& moment, const KindAccount& peak) {
  TextTable table{Align::right, Align::right, Align::right, Align::right, Align::left, Align::left};
  table.add_row({moment, "share", "at the peak", "share", "kind", "known"});
  const std::uint64_t now_bytes = bytes_of_kinds(now);
  const std::uint64_t peak_bytes = bytes_of_kinds(peak);
  for (const std::size_t i : kinds_of(now, peak))
    table.add_row({format_bytes(now[i].bytes), format_percent(now[i].bytes, now_bytes), format_bytes(peak[i].bytes),
                   format_percent(peak[i].bytes, peak_bytes), std::string(kind_name(static_cast<MemoryKind>(i))),
                   known_by(now[i].bytes > 0 ? now[i] : peak[i])});
  return table.text("  ");
}

} // namespace

std::string kinds_text(const MemoryState& state, const DeviceState& device_state, const KindsByDevice& peak_kinds) {
  if (!state.has_kinds) return "";
  const KindAccount now = kind_account(state, device_state.device);
  const auto found = peak_kinds.find(device_state.device);
  const bool has_peak =
      found != peak_kinds.end() && device_state.figures.events > 0 && device_state.moment.kind != MomentKind::peak;
  if (bytes_of_kinds(now) == 0 && (!has_peak || bytes_of_kinds(found->second) == 0)) return "";
  return "  kinds of memory in use\n" +
         (has_peak ? table_of(now, short_moment_text(device_state.moment), found->second) : table_of(now));
}

} // namespace memviz
