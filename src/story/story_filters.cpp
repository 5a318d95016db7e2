#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/story.hpp"

#include <fmt/format.h>
#include <variant>

namespace memviz {

namespace {

constexpr std::size_t kPatternColumns = 48;

bool is_of_stack(const NodeKey& key) {
  return std::holds_alternative<FrameId>(key) || key == NodeKey(Pseudo::filtered);
}

/// " zzzz", "" where it may not be shown.
std::string pattern_text(const std::string& pattern) {
  return pattern.empty() ? "" : " " + elided(pattern, kPatternColumns);
}

} // namespace

std::uint64_t stack_bytes(const FrameTree& tree) {
  std::uint64_t bytes = 0;
  for (const auto& node : tree.nodes)
    if (is_of_stack(node.key) && !is_of_stack(tree[node.parent].key)) bytes += node.total.bytes;
  return bytes;
}

std::string filters_text(const FrameTree& tree, std::uint64_t in_use_bytes, const TreeFilters& filters) {
  std::string text;
  if (filters.has_focus)
    text = fmt::format("focus{}: {} of {} in use", pattern_text(filters.focus), format_bytes(stack_bytes(tree)),
                       format_bytes(in_use_bytes));
  if (filters.has_hide) text += fmt::format("{}frames hidden{}", text.empty() ? "" : "; ", pattern_text(filters.hide));
  return text;
}

} // namespace memviz
