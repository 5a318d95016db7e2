#include "base/json_writer.hpp"
#include "export/line_json.hpp"
#include "export/moment_json.hpp"
#include "export/text_limit.hpp"
#include "export/text_writer.hpp"
#include "memviz/export.hpp"
#include "memviz/label.hpp"

#include <array>
#include <string_view>

namespace memviz {

namespace {

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
void add_identity(JsonWriter& json, const FrameTable& frames, const NodeKey& key) {
  switch (key.kind) {
  case NodeKind::device: json.member("device", key.value); break;
  case NodeKind::pool: json.member("pool", std::array{key.value, key.other}); break;
  case NodeKind::stream: json.member("stream", std::to_string(static_cast<std::int64_t>(key.value))); break;
  case NodeKind::segment: json.member("address", std::to_string(key.value)).member("device", key.other); break;
  case NodeKind::frame:
    json.member("name", frames.name(key.frame())).member("file", frames.filename(key.frame()));
    json.member("line", known_line(frames.frame(key.frame()).line));
    break;
  case NodeKind::root:
  case NodeKind::state:
  case NodeKind::pseudo: break;
  }
}

void write_node(JsonWriter& json, const FrameTable& frames, const FrameTree& tree, std::size_t index) {
  const auto& node = tree.nodes[index];
  json.begin_object(JsonLayout::compact).member("id", index);
  if (node.parent != kNoNode) json.member("parent", node.parent.value);
  json.member("kind", kind_name(node.key.kind)).member("label", node_label(frames, node.key));
  add_identity(json, frames, node.key);
  json.member("self_bytes", node.self.bytes).member("total_bytes", node.total.bytes);
  json.member("blocks", node.total.blocks).end_object();
}

void write_header(JsonWriter& json, const std::string& file, const FrameTree& tree,
                  const std::vector<DeviceStats>& devices) {
  json.member("file", file).key("tool").begin_object().member("name", "memviz").end_object();
  json.key("devices").begin_array();
  for (const DeviceStats& device : devices) {
    json.begin_object().member("device", device.device.value).key("at");
    write_moment(json, device.at);
    json.end_object();
  }
  json.end_array().member("root_bytes", tree.root().total.bytes);
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
  return [file, devices, &frames, &tree](const TextSink& sink) {
    std::string text;
    JsonWriter json(text, sink);
    json.begin_object();
    write_header(json, file, tree, devices);
    json.key("nodes").begin_array();
    for (std::size_t index = 0; index < tree.nodes.size(); ++index)
      write_node(json, frames, tree, index);
    json.end_array().end_object();
    sink(text + '\n');
  };
}

std::string tree_json(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                      const std::vector<DeviceStats>& devices) {
  return whole_text(tree_json_source(file, frames, tree, devices));
}

} // namespace memviz
