#include "export/json_text.hpp"
#include "export/line_json.hpp"
#include "export/moment_json.hpp"
#include "export/text_limit.hpp"
#include "export/text_writer.hpp"
#include "memviz/export.hpp"
#include "memviz/label.hpp"

#include <string_view>

namespace memviz {

namespace {

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
    node["line"] = line_json(frames.frame(key.frame()).line);
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

/// Long names in deep stacks spell out terabytes; a tree is bounded, so the names are what counts.
void check_size(const FrameTable& frames, const FrameTree& tree) {
  constexpr std::uint64_t kNodeBytes = 16; // of a file, for each of its nodes
  TextLimit limit(kNodeBytes * tree.nodes.size(), "--frames user or --hide make less");
  for (const auto& node : tree.nodes) {
    if (node.key.kind != NodeKind::frame) continue;
    limit.add(frames.name(node.key.frame()).size());
    limit.add(frames.filename(node.key.frame()).size());
  }
}

} // namespace

TextSource tree_json_source(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                            const std::vector<DeviceStats>& devices) {
  check_size(frames, tree);
  Json header;
  header["file"] = file;
  header["tool"] = {{"name", "memviz"}};
  header["devices"] = Json::array();
  for (const DeviceStats& device : devices)
    header["devices"].push_back({{"device", device.device}, {"at", moment_json(device.at)}});
  header["root_bytes"] = tree.root().total.bytes;
  std::string text = json_text(header, 2);

  // A line a node, each turned to text at once: as JSON values a large tree would need gigabytes.
  text.replace(text.rfind('\n'), std::string::npos, ",\n  \"nodes\": [");
  return [text, &frames, &tree](const TextSink& sink) {
    TextWriter writer(sink);
    writer.add(text);
    for (std::size_t index = 0; index < tree.nodes.size(); ++index) {
      writer.add(index == 0 ? "\n    " : ",\n    ");
      writer.add(json_text(node_json(frames, tree, index), -1));
    }
    writer.add("\n  ]\n}\n");
    writer.flush();
  };
}

std::string tree_json(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                      const std::vector<DeviceStats>& devices) {
  return whole_text(tree_json_source(file, frames, tree, devices));
}

} // namespace memviz
