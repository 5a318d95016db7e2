#include "graph/callers.hpp"

#include "page/naming.hpp"

#include <algorithm>
#include <map>
#include <variant>

namespace memviz::render {
namespace {

constexpr std::size_t kMostCallers = 4;

std::string callers_above(NodeId node, const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                          const FrameTree& tree) {
  std::string text;
  NodeKey nearest = tree[node].key;
  std::size_t found = 0;
  for (NodeId id = tree[node].parent; id != kNoNode && found < kMostCallers; id = tree[id].parent) {
    const NodeKey& key = tree[id].key;
    const auto* frame = std::get_if<FrameId>(&key);
    if (frame == nullptr) break;
    if (origins[frame->value] != CodeOrigin::user || key == nearest) continue;
    const Label label = frame_label(frames, *frame);
    text += (text.empty() ? "‹ " : " ‹ ") + label.name + (label.place.empty() ? "" : " " + label.place);
    nearest = key;
    ++found;
  }
  return text;
}

} // namespace

std::vector<std::string> callers_of(const std::vector<UserLine>& lines, std::size_t count, const FrameTable& frames,
                                    const std::vector<CodeOrigin>& origins, const FrameTree& tree) {
  count = std::min(count, lines.size());
  std::map<NodeKey, NodeId> heaviest;
  for (std::size_t i = 0; i < count; ++i)
    if (is_frame(lines[i].key)) heaviest.emplace(lines[i].key, kNoNode);
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const auto found = heaviest.find(tree.nodes[i].key);
    if (found == heaviest.end()) continue;
    if (found->second == kNoNode || tree.nodes[i].total.bytes > tree[found->second].total.bytes)
      found->second = NodeId{i};
  }
  std::vector<std::string> texts(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = heaviest.find(lines[i].key);
    if (found != heaviest.end() && found->second != kNoNode)
      texts[i] = callers_above(found->second, frames, origins, tree);
  }
  return texts;
}

} // namespace memviz::render
