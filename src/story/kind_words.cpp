#include "memviz/kind_words.hpp"

#include "base/saturating.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace memviz {

std::string_view kind_words(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::parameter: return "parameters";
  case MemoryKind::gradient: return "gradients";
  case MemoryKind::optimizer_state: return "optimizer state";
  case MemoryKind::activation: return "activations";
  case MemoryKind::input: return "inputs";
  case MemoryKind::temporary: return "temporaries";
  case MemoryKind::communication: return "communication buffers";
  case MemoryKind::workspace: return "workspaces";
  case MemoryKind::unknown: break;
  }
  return "unknown memory";
}

std::string kind_changes_text(const std::vector<KindChange>& changes) {
  constexpr std::uint64_t kLeastPart = 100;
  std::string text;
  for (const KindChange& change : changes) {
    const std::int64_t delta = change.delta_bytes();
    if (delta == 0 || magnitude(delta) < magnitude(changes.front().delta_bytes()) / kLeastPart) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind_words(change.kind), delta_text(delta));
  }
  return text;
}

std::vector<KindPart> kind_parts(const KindAccount& account) {
  constexpr auto kUnknown = static_cast<std::size_t>(MemoryKind::unknown);
  std::vector<KindPart> parts;
  for (std::size_t i = 0; i < kUnknown; ++i)
    if (account[i].bytes > 0)
      parts.push_back(
          {std::string(kind_words(static_cast<MemoryKind>(i))), static_cast<MemoryKind>(i), account[i].bytes});
  const std::uint64_t alike_bytes = account[kUnknown].bytes_by[static_cast<std::size_t>(kParameterOrState.evidence)];
  if (alike_bytes > 0) parts.push_back({"parameters and optimizer state", MemoryKind::unknown, alike_bytes, true});
  std::ranges::stable_sort(parts, std::ranges::greater(), &KindPart::bytes);
  if (account[kUnknown].bytes > alike_bytes)
    parts.push_back(
        {std::string(kind_words(MemoryKind::unknown)), MemoryKind::unknown, account[kUnknown].bytes - alike_bytes});
  return parts;
}

std::string kind_shares_text(const KindAccount& account) {
  constexpr std::uint64_t kLeastPart = 100;
  const std::vector<KindPart> parts = kind_parts(account);
  std::uint64_t total_bytes = 0;
  for (const KindPart& part : parts)
    total_bytes += part.bytes;
  const bool has_untold = !parts.empty() && parts.back().words == kind_words(MemoryKind::unknown);
  std::string text;
  for (const KindPart& part : parts) {
    if (part.bytes < total_bytes / kLeastPart || (has_untold && &part == &parts.back())) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_percent(part.bytes, total_bytes), part.words);
  }
  if (text.empty() || !has_untold || parts.back().bytes < total_bytes / kLeastPart) return text;
  return text + fmt::format("; of {} no rule tells what it is", format_percent(parts.back().bytes, total_bytes));
}

} // namespace memviz
