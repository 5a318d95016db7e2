#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "export/line_json.hpp"
#include "export/moment_json.hpp"
#include "export/text_limit.hpp"
#include "export/text_writer.hpp"
#include "memviz/export.hpp"
#include "memviz/label.hpp"

#include <array>
#include <string_view>
#include <variant>

namespace memviz {

namespace {

struct KindName {
  std::string_view operator()(const RootKey& /*root*/) const { return "root"; }
  std::string_view operator()(const DeviceKey& /*device*/) const { return "device"; }
  std::string_view operator()(const PoolId& /*pool*/) const { return "pool"; }
  std::string_view operator()(const StreamKey& /*stream*/) const { return "stream"; }
  std::string_view operator()(const SegmentKey& /*segment*/) const { return "segment"; }
  std::string_view operator()(BlockState /*state*/) const { return "state"; }
  std::string_view operator()(FrameId /*frame*/) const { return "frame"; }
  std::string_view operator()(Pseudo /*pseudo*/) const { return "pseudo"; }
  std::string_view operator()(MemoryKind /*kind*/) const { return "kind"; }
  std::string_view operator()(const KeeperStep& /*step*/) const { return "keeper"; }
  std::string_view operator()(const TopicKey& key) const {
    switch (key.topic) {
    case Topic::annotation: return "annotation";
    case Topic::metadata: return "metadata";
    case Topic::compile: break;
    }
    return "compile";
  }
};

/// Writes the facts that a program would otherwise have to parse from the label.
struct IdentityWriter {
  JsonWriter& json;
  const FrameTable& frames;

  void operator()(const DeviceKey& key) const { write_device_key(json, key.device); }
  void operator()(const PoolId& pool) const { json.member("pool", std::array{pool.first, pool.second}); }
  void operator()(const StreamKey& key) const { json.member("stream", std::to_string(key.stream)); }
  void operator()(const SegmentKey& key) const {
    write_device_key(json.member("address", std::to_string(key.address)), key.device);
  }
  void operator()(FrameId id) const {
    const Frame& frame = frames.frame(id); // the size of the whole texts is checked by check_size()
    json.member("name", frames.text(frame.name)).member("file", frames.text(frame.filename));
    json.member("line", known_line(frame.line));
  }
  void operator()(const TopicKey& key) const {
    if (key.content == TopicContent::text) json.member("text", frames.text(key.text));
  }
  // The label contains all of these.
  void operator()(const KeeperStep& /*step*/) const {}
  void operator()(const RootKey& /*root*/) const {}
  void operator()(BlockState /*state*/) const {}
  void operator()(Pseudo /*pseudo*/) const {}
  void operator()(MemoryKind /*kind*/) const {}
};

void write_node(JsonWriter& json, const FrameTable& frames, const FrameTree& tree, std::size_t index) {
  const auto& node = tree.nodes[index];
  json.begin_object(JsonLayout::compact).member("id", index);
  if (node.parent != kNoNode) json.member("parent", node.parent.value);
  json.member("kind", std::visit(KindName{}, node.key)).member("label", node_label(frames, node.key));
  std::visit(IdentityWriter{json, frames}, node.key);
  json.member("self_bytes", node.self.bytes).member("total_bytes", node.total.bytes);
  json.member("blocks", node.total.blocks).end_object();
}

void write_header(JsonWriter& json, const std::string& file, const FrameTree& tree,
                  std::span<const DeviceState> devices) {
  json.member("file", file).key("tool").begin_object().member("name", "memviz").end_object();
  json.key("devices").begin_array();
  for (const DeviceState& device : devices) {
    write_device_key(json.begin_object(), device.device).key("at");
    write_moment(json, device.moment);
    json.end_object();
  }
  json.end_array().member("root_bytes", tree.root().total.bytes);
}

/// Long names in deep stacks can expand to terabytes; a tree is bounded, so only the names count.
void check_size(const FrameTable& frames, const FrameTree& tree) {
  constexpr std::uint64_t kNodeBytes = 16; // of a file, for each of its nodes
  TextLimit limit(kNodeBytes * tree.nodes.size(), "--frames user or --hide write less");
  for (const auto& node : tree.nodes) {
    if (const auto* topic = std::get_if<TopicKey>(&node.key)) limit.add(frames.text(topic->text).size());
    const auto* frame = std::get_if<FrameId>(&node.key);
    if (frame == nullptr) continue;
    limit.add(frames.text(frames.frame(*frame).name).size());
    limit.add(frames.text(frames.frame(*frame).filename).size());
  }
}

} // namespace

TextSource tree_json_source(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                            std::span<const DeviceState> devices) {
  check_size(frames, tree);
  return [file, devices, &frames, &tree](const TextSink& sink) {
    std::string text;
    JsonWriter json(text, sink);
    begin_document(json, "memviz.tree/1.0");
    write_header(json, file, tree, devices);
    json.key("nodes").begin_array();
    for (std::size_t index = 0; index < tree.nodes.size(); ++index)
      write_node(json, frames, tree, index);
    json.end_array().end_object();
    sink(text + '\n');
  };
}

std::string tree_json(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                      std::span<const DeviceState> devices) {
  return whole_text(tree_json_source(file, frames, tree, devices));
}

} // namespace memviz
