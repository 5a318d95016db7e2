#include "base/log_commands.hpp"
#include "base/printable.hpp"
#include "export/text_limit.hpp"
#include "export/text_writer.hpp"
#include "memviz/export.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace memviz {
namespace {

/// Returns a node's label as a part of a path: a semicolon would end it, and a command of a job's log would be obeyed.
std::string part_of(const FrameTable& frames, const NodeKey& key) {
  std::string text = safe_line(node_label(frames, key));
  for (const std::size_t at : hash_commands(text))
    text[at] = ':';
  std::ranges::replace(text, ';', ':');
  return text;
}

using Lines = std::map<std::string, std::uint64_t>; // sorted by bytes, which for UTF-8 is the order of code points

Lines lines_of(const MemoryState& state, const FrameTree& tree) {
  TextLimit limit(state.recording->origin.size_bytes, "--device N or --format json write less");
  std::vector<std::string> paths(tree.nodes.size());
  Lines lines;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const auto& node = tree.nodes[i];
    if (node.parent != kNoNode) {
      const std::string& above = paths[node.parent.value];
      paths[i] = (above.empty() ? "" : above + ";") + part_of(state.frames(), node.key);
      limit.add(paths[i].size());
    }
    // Two nodes may have one text: files of the same name in different folders.
    if (node.self.bytes > 0) lines[paths[i]] += node.self.bytes;
  }
  return lines;
}

} // namespace

TextSource folded_tree_source(const MemoryState& state, const FrameTree& tree) {
  const auto lines = std::make_shared<const Lines>(lines_of(state, tree));
  return [lines](const TextSink& sink) {
    TextWriter writer(sink);
    for (const auto& [path, bytes] : *lines)
      writer.add(fmt::format("{} {}\n", path, bytes));
    writer.flush();
  };
}

} // namespace memviz
