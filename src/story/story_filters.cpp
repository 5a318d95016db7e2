#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/story.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <variant>

namespace memviz {

namespace {

constexpr std::size_t kPatternColumns = 48;

bool is_of_stack(const NodeKey& key) {
  return std::holds_alternative<FrameId>(key) || key == NodeKey(Pseudo::filtered);
}

/// " zzzz", or "" if it must not be shown.
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

namespace {

std::uint64_t not_focused_bytes(const FrameTree& tree) {
  std::uint64_t bytes = 0;
  for (const auto& node : tree.nodes)
    if (node.key == NodeKey(Pseudo::not_focused)) bytes += node.total.bytes;
  return bytes;
}

/// Memory of unknown lives is excluded as well.
std::string lives_text(const FrameTree& tree, std::uint64_t requested_bytes, const LifeRange& lives) {
  if (lives.of == LivesOf::all) return "";
  return fmt::format("{} in events {} to {}: {} of {} requested", lives.of == LivesOf::born ? "allocated" : "freed",
                     format_count(lives.first), format_count(std::max(lives.last, lives.first + 1) - 1),
                     format_bytes(requested_bytes - std::min(requested_bytes, not_focused_bytes(tree))),
                     format_bytes(requested_bytes));
}

} // namespace

std::string filters_text(const FrameTree& tree, std::uint64_t requested_bytes, const TreeFilters& filters) {
  std::string text = lives_text(tree, requested_bytes, filters.lives);
  if (filters.has_focus)
    text = fmt::format("focus{}: {} of {} requested", pattern_text(filters.focus), format_bytes(stack_bytes(tree)),
                       format_bytes(requested_bytes));
  if (filters.has_hide) text += fmt::format("{}frames hidden{}", text.empty() ? "" : "; ", pattern_text(filters.hide));
  return text;
}

} // namespace memviz
