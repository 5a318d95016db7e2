#include "export/json_text.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/label.hpp"

#include <string_view>

namespace memviz {

namespace {

/// What a file of a few megabytes spells out can be terabytes: long names in deep stacks.
constexpr std::size_t kMostTextBytes = std::size_t{1} << 30U;

using Json = nlohmann::ordered_json;

std::string_view kind_name(NodeKind kind) {
  switch (kind) {
  case NodeKind::root: return "root";
  case NodeKind::device: return "device";
  case NodeKind::pool: return "pool";
  case NodeKind::stream: return "stream";
  case NodeKind::segment: return "segment";
  case NodeKind::state: return "state";
  case NodeKind::frame: return "frame";
  case NodeKind::pseudo: return "pseudo";
  }
  return "unknown";
}

/// What a program would otherwise have to parse out of the label.
void add_identity(Json& node, const FrameTable& frames, const NodeKey& key) {
  switch (key.kind) {
  case NodeKind::device: node["device"] = key.value; break;
  case NodeKind::pool: node["pool"] = {key.value, key.other}; break;
  case NodeKind::stream: node["stream"] = std::to_string(static_cast<std::int64_t>(key.value)); break;
  case NodeKind::segment:
    node["address"] = std::to_string(key.value);
    node["device"] = key.other;
    break;
  case NodeKind::frame:
    node["name"] = frames.name(key.frame());
    node["file"] = frames.filename(key.frame());
    node["line"] = frames.frame(key.frame()).line;
    break;
  case NodeKind::root:
  case NodeKind::state:
  case NodeKind::pseudo: break;
  }
}

Json node_json(const FrameTable& frames, const FrameTree& tree, std::size_t index) {
  const auto& node = tree.nodes[index];
  Json result;
  result["id"] = index;
  if (node.parent != kNoNode) result["parent"] = node.parent.value;
  result["kind"] = kind_name(node.key.kind);
  result["label"] = node_label(frames, node.key);
  add_identity(result, frames, node.key);
  result["self_bytes"] = node.self.bytes;
  result["total_bytes"] = node.total.bytes;
  result["blocks"] = node.total.blocks;
  return result;
}

} // namespace

std::string tree_json(const std::string& file, const FrameTable& frames, const FrameTree& tree) {
  Json header;
  header["file"] = file;
  header["tool"] = {{"name", "memviz"}};
  header["root_bytes"] = tree.root().total.bytes;
  std::string text = json_text(header, 2);

  // A line a node, each turned to text at once: as JSON values a large tree would need gigabytes.
  text.replace(text.rfind('\n'), std::string::npos, ",\n  \"nodes\": [");
  for (std::size_t index = 0; index < tree.nodes.size(); ++index) {
    text += index == 0 ? "\n    " : ",\n    ";
    text += json_text(node_json(frames, tree, index), -1);
    if (text.size() > kMostTextBytes) throw Error("its tree spelled out is more than 1 GiB of text");
  }
  return text + "\n  ]\n}\n";
}

} // namespace memviz
