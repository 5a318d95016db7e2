#include "pictures/compare_words.hpp"

#include "page/naming.hpp"
#include "page/when.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace memviz::render {
namespace {

std::int64_t delta_of(std::uint64_t before, std::uint64_t after) {
  return static_cast<std::int64_t>(after - before);
}

bool is_same(const Comparison& comparison) {
  return comparison.only_before.empty() && comparison.only_after.empty() && comparison.changes.empty() &&
         std::all_of(comparison.tree.nodes.begin(), comparison.tree.nodes.end(),
                     [](const TreeNode<Change>& node) { return node.total.before == node.total.after; });
}

/// As much is allocated as before, but something else has changed.
std::string unchanged_sentence(const Comparison& comparison) {
  const std::string same = format_bytes(comparison.after.allocated_bytes) + " allocated, as before";
  const std::int64_t reserved = delta_of(comparison.before.reserved_bytes, comparison.after.reserved_bytes);
  if (reserved != 0) return fmt::format("{}; {} reserved", same, delta_text(reserved));
  return comparison.changes.empty() ? same : same + ", but by other stacks";
}

/// Percent of the largest change below which one the other way is not worth words.
constexpr std::uint64_t kAgainstShare = 5;

std::string line_text(const FrameTable& frames, const UserLineChange& line) {
  const Label label = key_label(frames, line.key);
  return fmt::format("{} {}", label.place.empty() ? label.name : label.name + " " + label.place,
                     delta_text(line.change.delta_bytes()));
}

std::uint64_t larger_side(const Comparison& comparison) {
  return std::max(comparison.before.requested_bytes, comparison.after.requested_bytes);
}

/// A smaller share of the larger side is not worth a note: 1/10.
constexpr std::uint64_t kMovedShare = 10;

/// Bytes that one side holds below one line of a function and the other below another line of the same, called from
/// the same place: what an edit of the file moves.
std::uint64_t moved_lines_bytes(const Comparison& comparison) {
  struct Sides {
    std::uint64_t before_bytes = 0;
    std::uint64_t after_bytes = 0;
  };
  const DiffTree& tree = comparison.tree;
  std::uint64_t moved_bytes = 0;
  std::map<std::pair<StringId, StringId>, Sides> functions;
  for (const TreeNode<Change>& node : tree.nodes) {
    functions.clear();
    for (NodeId id = node.first_child; id != kNoNode; id = tree[id].next_sibling) {
      const TreeNode<Change>& child = tree[id];
      if (child.key.kind != NodeKind::frame) continue;
      const Frame& frame = comparison.frames.frame(child.key.frame());
      Sides& sides = functions[{frame.filename, frame.name}];
      if (child.total.after.bytes == 0) sides.before_bytes += child.total.before.bytes;
      if (child.total.before.bytes == 0) sides.after_bytes += child.total.after.bytes;
    }
    for (const auto& [function, sides] : functions)
      moved_bytes += std::min(sides.before_bytes, sides.after_bytes);
  }
  return moved_bytes;
}

} // namespace

std::string headline_of(const Comparison& comparison) {
  if (is_same(comparison)) return "No difference: both snapshots hold the same memory";
  const std::int64_t delta = comparison.allocated_delta_bytes();
  const std::string sides = fmt::format("{} before, {} after", format_bytes(comparison.before.allocated_bytes),
                                        format_bytes(comparison.after.allocated_bytes));
  if (delta == 0) return unchanged_sentence(comparison);
  return fmt::format("{} allocated: {}", delta_text(delta), sides);
}

std::string answer_of(const Comparison& comparison) {
  const UserLineChange* grown = nullptr;
  const UserLineChange* shrunk = nullptr;
  for (const UserLineChange& line : comparison.changes) {
    const UserLineChange*& side = line.change.delta_bytes() > 0 ? grown : shrunk;
    if (side == nullptr && line.change.delta_bytes() != 0) side = &line;
  }
  if (grown == nullptr && shrunk == nullptr) return "";
  const auto text = [&](const UserLineChange* line) { return line_text(comparison.frames, *line); };
  if (grown == nullptr || shrunk == nullptr) return "Most of it by " + text(grown == nullptr ? shrunk : grown);
  const std::int64_t delta = comparison.allocated_delta_bytes();
  const UserLineChange* most = delta < 0 ? shrunk : grown;
  const UserLineChange* against = delta < 0 ? grown : shrunk;
  const auto bytes = [](const UserLineChange* line) { return magnitude(line->change.delta_bytes()); };
  if (delta == 0) return fmt::format("{}, but {}", text(most), text(against));
  if (bytes(against) < bytes(most) / 100 * kAgainstShare) return "Most of it by " + text(most);
  return fmt::format("Most of it by {}; against it {}", text(most), text(against));
}

std::vector<std::string> side_facts_of(std::vector<std::string> facts, const DeviceStats& stats) {
  facts.push_back(count_of(stats.segments, "segment"));
  facts.push_back(count_of(stats.blocks, "block"));
  facts.push_back(stats.events == 0 ? "no events" : count_of(stats.events, "event"));
  if (stats.first_time_us && stats.last_time_us && *stats.first_time_us != *stats.last_time_us)
    facts.push_back(time_range_text(*stats.first_time_us, *stats.last_time_us));
  return facts;
}

std::vector<std::string> notes_on(const Comparison& comparison) {
  std::vector<std::string> notes{
      "A box is as wide as the larger side of what is in it, so that what is gone keeps its place; its number is the "
      "change, after minus before. Pale: below 5 % of the width."};
  if (const std::uint64_t bytes = moved_lines_bytes(comparison); bytes > larger_side(comparison) / kMovedShare) {
    notes.push_back(
        fmt::format("{} stands on both sides at other lines of the same functions, and so looks removed and "
                    "added: --match function compares by function.",
                    format_bytes(bytes)));
  }
  if (comparison.moved_files > 0) {
    notes.push_back(fmt::format(
        "{} in other folders after than before, as in two checkouts: taken for the same, by the "
        "ends of their paths.",
        comparison.moved_files == 1 ? "1 file stands" : format_count(comparison.moved_files) + " files stand"));
  }
  return notes;
}

} // namespace memviz::render
