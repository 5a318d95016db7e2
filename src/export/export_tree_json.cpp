#include "base/index_range.hpp"
#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/line_json.hpp"
#include "export/moment_json.hpp"
#include "export/schemas.hpp"
#include "export/text_limit.hpp"
#include "export/text_writer.hpp"
#include "memviz/export.hpp"
#include "memviz/label.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace memviz {

namespace {

constexpr std::array<std::string_view, 13> kNodeKinds{"root",     "device",  "pool",   "stream", "segment",
                                                      "state",    "frame",   "pseudo", "kind",   "annotation",
                                                      "metadata", "compile", "keeper"};

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

struct NodeInJson {
  const FrameTable& frames;
  const TreeNode<Amount>& node;
  std::size_t index;

  /// Returns the key of the node if it is a `Key`, else null.
  template <class Key> [[nodiscard]] const Key* key() const { return std::get_if<Key>(&node.key); }
};

std::optional<std::uint32_t> node_parent(const NodeInJson& node) {
  return node.node.parent == kNoNode ? std::nullopt : std::optional(node.node.parent.value);
}

std::optional<DeviceId> node_device(const NodeInJson& node) {
  if (const auto* const device = node.key<DeviceKey>()) return device->device;
  if (const auto* const segment = node.key<SegmentKey>()) return segment->device;
  return std::nullopt;
}

std::optional<std::array<std::uint64_t, 2>> node_pool(const NodeInJson& node) {
  const auto* const pool = node.key<PoolId>();
  return pool == nullptr ? std::nullopt : std::optional(std::array{pool->first, pool->second});
}

std::optional<std::int64_t> node_stream(const NodeInJson& node) {
  const auto* const key = node.key<StreamKey>();
  return key == nullptr ? std::nullopt : std::optional(key->stream);
}

std::optional<std::uint64_t> node_address(const NodeInJson& node) {
  const auto* const segment = node.key<SegmentKey>();
  return segment == nullptr ? std::nullopt : std::optional(segment->address);
}

std::optional<std::string_view> node_text(const NodeInJson& node) {
  const auto* const topic = node.key<TopicKey>();
  if (topic == nullptr || topic->content != TopicContent::text) return std::nullopt;
  return node.frames.text(topic->text);
}

struct FrameInJson {
  const FrameTable& frames;
  const Frame& frame; // the size of the whole texts is checked by check_size()
};

FrameInJson node_frame(const NodeInJson& node) {
  return {node.frames, node.frames.frame(*node.key<FrameId>())};
}

constexpr auto kNodeFrame =
    json_object<FrameInJson>({},
                             member("name", "Of a frame: its function",
                                    [](const FrameInJson& frame) { return frame.frames.text(frame.frame.name); }),
                             member("file", "Of a frame: its file",
                                    [](const FrameInJson& frame) { return frame.frames.text(frame.frame.filename); }),
                             member("line", "Of a frame: its line; null where it is not known",
                                    [](const FrameInJson& frame) { return known_line(frame.frame.line); }));

/// The facts that a program would otherwise have to parse from the label are members of the nodes that have them.
constexpr auto kNode = json_object<NodeInJson>(
    {.meaning = "A node", .name = "node", .layout = JsonLayout::compact},
    member("id", "Its index in nodes", &NodeInJson::index),
    member("parent", "id of its parent; absent at the root", node_parent).if_any(),
    member(
        "kind", "What it is", [](const NodeInJson& node) { return std::visit(KindName{}, node.node.key); },
        one_of(kNodeKinds)),
    member("label", "As the picture has it",
           [](const NodeInJson& node) { return node_label(node.frames, node.node.key); }),
    member("pool", "Of a pool: its two numbers", node_pool).if_any(),
    member("stream", "Of a stream: the stream, as decimal text: it may pass 2^53", node_stream, kDecimal).if_any(),
    member("address", "Of a segment: its address, as decimal text: it may pass 2^53", node_address, kDecimal).if_any(),
    member("device", "", node_device, kDeviceForm).if_any(),
    members_of(kNodeFrame, node_frame).when([](const NodeInJson& node) { return is_frame(node.node.key); }),
    member("text", "Of an annotation, metadata or region of torch.compile: its text", node_text).if_any(),
    member("self_bytes", "Bytes in it and in no child", [](const NodeInJson& node) { return node.node.self.bytes; }),
    member("total_bytes", "Bytes in it", [](const NodeInJson& node) { return node.node.total.bytes; }),
    member("blocks", "Blocks in it", [](const NodeInJson& node) { return node.node.total.blocks; }));

struct Tool {
  std::string_view name = "memviz";
};

constexpr std::array<std::string_view, 1> kTools{"memviz"};
constexpr auto kTool = json_object<Tool>({}, member("name", "The program", &Tool::name, one_of(kTools)));

constexpr auto kTreeDevice = json_object<DeviceState>({.meaning = "A device of the tree"},
                                                      member("device", "", &DeviceState::device, kDeviceForm),
                                                      member("at", "", &DeviceState::moment, kMoment));

struct TreeInJson {
  std::string_view file;
  const FrameTable& frames;
  const FrameTree& tree;
  std::span<const DeviceState> devices;
};

NodeInJson node_of(const TreeInJson& tree, std::size_t index) {
  return {tree.frames, tree.tree.nodes[index], index};
}

constexpr auto kTree = json_described<TreeInJson>(
    {.schema = "memviz.tree/1.0",
     .title = "memviz flame --json, memviz export --format json",
     .meaning = "The tree of a flame graph: who holds every reserved byte"},
    member("file", kSnapshotMeaning, &TreeInJson::file),
    member(
        "tool", "Who wrote this", [](const TreeInJson& /*tree*/) { return Tool{}; }, kTool),
    member("devices", "Each device with its moment", &TreeInJson::devices, kTreeDevice),
    member("root_bytes", "All bytes of the tree: what is reserved",
           [](const TreeInJson& tree) { return tree.tree.root().total.bytes; }),
    member(
        "nodes", "Parents before children; a node's total_bytes are its self_bytes and the total_bytes of its children",
        [](const TreeInJson& tree) { return indexes(tree.tree.nodes.size()); }, made_by(node_of, kNode)));

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
    write_document(json, kTree, {file, frames, tree, devices});
    sink(text + '\n');
  };
}

std::string tree_json(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                      std::span<const DeviceState> devices) {
  return whole_text(tree_json_source(file, frames, tree, devices));
}

std::string tree_schema() {
  return schema_text(kTree);
}

} // namespace memviz
