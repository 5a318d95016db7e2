#include "story/kind_totals.hpp"

#include "base/saturating.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace memviz {

std::string_view kind_words(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::parameter: return "parameters";
  case MemoryKind::gradient: return "gradients";
  case MemoryKind::optimizer_state: return "optimizer state";
  case MemoryKind::activation: return "activations";
  case MemoryKind::input: return "inputs";
  case MemoryKind::kv_cache: return "KV caches";
  case MemoryKind::temporary: return "temporaries";
  case MemoryKind::communication: return "communication buffers";
  case MemoryKind::workspace: return "workspaces";
  case MemoryKind::parameter_or_state: return "parameters and optimizer state";
  case MemoryKind::unknown: break;
  }
  return "unknown memory";
}

std::string kind_changes_text(const std::vector<KindChange>& changes, std::size_t most) {
  constexpr std::uint64_t kLeastPart = 100;
  std::vector<std::string> parts;
  for (const KindChange& change : changes) {
    const std::int64_t delta = change.delta_bytes();
    if (delta == 0 || magnitude(delta) < magnitude(changes.front().delta_bytes()) / kLeastPart) continue;
    parts.push_back(fmt::format("{} {}", kind_words(change.kind), delta_text(delta)));
  }
  if (parts.size() <= most) return fmt::format("{}", fmt::join(parts, ", "));
  const std::size_t more = parts.size() - most;
  parts.resize(most);
  return fmt::format("{} and {} more", fmt::join(parts, ", "), more);
}

KindAccount kind_account(const KindShares& shares) {
  KindAccount account;
  for (const auto& [kind, amount] : shares) {
    KindAmount& sum = account.at(static_cast<std::size_t>(kind.kind));
    sum.bytes += amount.bytes;
    sum.blocks += amount.blocks;
    sum.bytes_by.at(static_cast<std::size_t>(kind.evidence)) += amount.bytes;
  }
  return account;
}

std::vector<KindPart> kind_parts(const KindAccount& account) {
  std::vector<KindPart> parts;
  for (std::size_t i = 0; i < account.size(); ++i)
    if (account[i].bytes > 0) parts.push_back({static_cast<MemoryKind>(i), account[i].bytes});
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [](const KindPart& part) { return part.kind == MemoryKind::unknown ? 0 : part.bytes; });
  return parts;
}

bool is_mostly_known(const KindAccount& account) {
  std::uint64_t known_bytes = 0;
  std::uint64_t unknown_bytes = 0;
  for (const KindPart& part : kind_parts(account))
    (part.kind == MemoryKind::unknown ? unknown_bytes : known_bytes) += part.bytes;
  return known_bytes > 0 && known_bytes >= unknown_bytes;
}

std::string kind_shares_text(const KindAccount& account) {
  constexpr std::uint64_t kLeastPart = 100;
  const std::vector<KindPart> parts = kind_parts(account);
  std::uint64_t total_bytes = 0;
  for (const KindPart& part : parts)
    total_bytes += part.bytes;
  const bool has_unknown = !parts.empty() && parts.back().kind == MemoryKind::unknown;
  std::string text;
  for (const KindPart& part : parts) {
    if (part.bytes < total_bytes / kLeastPart || (has_unknown && &part == &parts.back())) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_percent(part.bytes, total_bytes),
                        kind_words(part.kind));
  }
  if (text.empty() || !has_unknown || parts.back().bytes < total_bytes / kLeastPart) return text;
  return text + fmt::format("; {} unknown", format_percent(parts.back().bytes, total_bytes));
}

} // namespace memviz
