#include "export/keepers_text.hpp"

#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/keeper_words.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace memviz {

namespace {

std::string group_text(const FrameTable& frames, const KeeperGroup& group) {
  std::string text = keeper_path_text(frames, group.steps);
  const std::string root = keeper_root_text(frames, group.steps.front());
  text += text.empty() ? root : (root.starts_with("in ") ? " " : ", ") + root;
  const bool is_in_graph = std::ranges::find(group.steps, KeeperPart::graph, &KeeperStep::part) != group.steps.end();
  return is_in_graph ? text + ", through its graph" : text;
}

} // namespace

std::string keepers_table(const FrameTable& frames, const DeviceKeepers& keepers) {
  constexpr std::size_t kMostRows = 8;
  const std::uint64_t whole_bytes = keepers.account.total_bytes();
  if (whole_bytes == 0) return "";
  TextTable table{Align::right, Align::right, Align::right, Align::left};
  std::uint64_t rest_bytes = whole_bytes;
  for (std::size_t i = 0; i < std::min(keepers.groups.size(), kMostRows); ++i) {
    const KeeperGroup& group = keepers.groups[i];
    rest_bytes -= std::min(rest_bytes, group.bytes);
    table.add_row({format_bytes(group.bytes), format_percent(group.bytes, whole_bytes),
                   format_counted(group.blocks, "block"), group_text(frames, group)});
  }
  if (rest_bytes > 0) table.add_row({format_bytes(rest_bytes), format_percent(rest_bytes, whole_bytes), "", "others"});
  return "\nWho keeps it, by the path from a variable\n" + table.text("  ");
}

} // namespace memviz
