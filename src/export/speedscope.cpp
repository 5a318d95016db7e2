#include "memviz/speedscope.hpp"

#include "base/json_writer.hpp"
#include "export/line_json.hpp"
#include "export/text_limit.hpp"
#include "memviz/label.hpp"
#include "memviz/version.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <variant>
#include <vector>

namespace memviz {

namespace {

/// The distinct keys of a tree, numbered, and the stack of each node at which bytes end.
class Speedscope {
public:
  Speedscope(std::string name, const FrameTable& frames, const FrameTree& tree, std::uint64_t file_bytes)
      : name_(std::move(name)), frames_(frames), tree_(tree) {
    TextLimit limit(file_bytes, "--frames user or --hide write less");
    std::vector<std::uint32_t> depths(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const auto& node = tree.nodes[i];
      number_of_.push_back(number_of_key(node.key, limit));
      if (node.parent != kNoNode) depths[i] = depths[node.parent.value] + 1;
      if (node.self.bytes > 0) limit.add(std::uint64_t{kIndexBytes} * depths[i]);
    }
  }

  void write(const TextSink& sink) const {
    std::string text;
    JsonWriter json(text, sink);
    json.begin_object().member("$schema", "https://www.speedscope.app/file-format-schema.json");
    json.member("name", name_).member("exporter", "memviz@" + std::string(version()));
    json.key("shared").begin_object().key("frames").begin_array();
    for (const NodeKey& key : keys_)
      write_frame(json, key);
    json.end_array().end_object();
    json.key("profiles").begin_array().begin_object();
    json.member("type", "sampled").member("name", name_).member("unit", "bytes");
    json.member("startValue", 0).member("endValue", tree_.root().total.bytes);
    write_samples(json);
    json.end_object().end_array().end_object();
    sink(text + '\n');
  }

private:
  static constexpr std::uint32_t kIndexBytes = 8; ///< of an index in a sample, approximately

  std::size_t number_of_key(const NodeKey& key, TextLimit& limit) {
    const auto [place, is_new] = numbers_.try_emplace(key, keys_.size());
    if (is_new) {
      keys_.push_back(key);
      if (const auto* const frame = std::get_if<FrameId>(&key))
        limit.add(frames_.name(*frame).size() + frames_.filename(*frame).size());
    }
    return place->second;
  }

  void write_frame(JsonWriter& json, const NodeKey& key) const {
    json.begin_object(JsonLayout::compact).member("name", node_label(frames_, key));
    if (const auto* const frame = std::get_if<FrameId>(&key)) {
      json.member("file", frames_.filename(*frame));
      if (const auto line = known_line(frames_.frame(*frame).line)) json.member("line", *line);
    }
    json.end_object();
  }

  /// Outermost first, without the root, which represents the whole profile.
  [[nodiscard]] std::vector<std::size_t> stack_of(NodeId id) const {
    std::vector<std::size_t> stack;
    for (; tree_[id].parent != kNoNode; id = tree_[id].parent)
      stack.push_back(number_of_[id.value]);
    std::reverse(stack.begin(), stack.end());
    return stack;
  }

  void write_samples(JsonWriter& json) const {
    json.key("samples").begin_array();
    for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].self.bytes == 0) continue;
      json.begin_array(JsonLayout::compact);
      for (const std::size_t number : stack_of({i}))
        json.value(number);
      json.end_array();
    }
    json.end_array().key("weights").begin_array(JsonLayout::compact);
    for (const auto& node : tree_.nodes)
      if (node.self.bytes > 0) json.value(node.self.bytes);
    json.end_array();
  }

  std::string name_;
  const FrameTable& frames_;
  const FrameTree& tree_;
  std::map<NodeKey, std::size_t> numbers_;
  std::vector<NodeKey> keys_;
  std::vector<std::size_t> number_of_; ///< by node
};

} // namespace

TextSource speedscope_source(const std::string& name, const FrameTable& frames, const FrameTree& tree,
                             std::uint64_t file_bytes) {
  const auto text = std::make_shared<const Speedscope>(name, frames, tree, file_bytes);
  return [text](const TextSink& sink) { text->write(sink); };
}

} // namespace memviz
