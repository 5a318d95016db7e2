#include "memviz/speedscope.hpp"

#include "base/json_writer.hpp"
#include "base/printable.hpp"
#include "export/text_limit.hpp"
#include "memviz/label.hpp"
#include "memviz/version.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memviz {

namespace {

/// A frame as it is written. speedscope adds up the bytes of one index, so equal frames have one.
struct WrittenFrame {
  std::string name;
  std::string_view file; ///< "" if unknown
  std::optional<std::int64_t> line;
  friend auto operator<=>(const WrittenFrame&, const WrittenFrame&) = default;
};

WrittenFrame written_frame(const FrameTable& frames, const NodeKey& key) {
  constexpr std::size_t kMostNameBytes = 512; // one name of 4 KiB may be in every frame
  WrittenFrame written{.name = node_label(frames, key), .file = {}, .line = {}};
  if (written.name.size() > kMostNameBytes) written.name = elided(written.name, kMostNameBytes);
  if (const auto* const frame = std::get_if<FrameId>(&key)) {
    if (!known_basename(frames.filename(*frame)).empty()) written.file = frames.filename(*frame);
    if (const std::int64_t line = frames.frame(*frame).line; line > 0) written.line = line;
  }
  return written;
}

/// The distinct frames, numbered in the order of their first use.
class FrameNumbers {
public:
  FrameNumbers(const FrameTable& frames, std::uint64_t file_bytes)
      : frames_(frames), limit_(file_bytes, "--frames user or --hide write less") {}

  [[nodiscard]] std::size_t number(const NodeKey& key) {
    const auto [place, is_new] = by_key_.try_emplace(key, 0);
    if (!is_new) return place->second;
    if (const auto* const frame = std::get_if<FrameId>(&key))
      limit_.add(frames_.name(*frame).size() + frames_.filename(*frame).size());
    const auto [written, is_distinct] = numbers_.try_emplace(written_frame(frames_, key), in_order_.size());
    if (is_distinct) in_order_.push_back(&written->first);
    return place->second = written->second;
  }

  void count_sample(std::size_t depth) { limit_.add(kIndexBytes * depth); }

  void write(JsonWriter& json) const {
    json.begin_array();
    for (const WrittenFrame* const frame : in_order_) {
      json.begin_object(JsonLayout::compact).member("name", frame->name);
      if (!frame->file.empty()) json.member("file", frame->file);
      if (frame->line) json.member("line", *frame->line);
      json.end_object();
    }
    json.end_array();
  }

private:
  static constexpr std::uint64_t kIndexBytes = 8; ///< of an index in a sample, approximately

  const FrameTable& frames_;
  TextLimit limit_;
  std::map<NodeKey, std::size_t> by_key_;
  std::map<WrittenFrame, std::size_t> numbers_;
  std::vector<const WrittenFrame*> in_order_;
};

/// Nodes whose frames are equal, below one box.
struct Box {
  std::size_t frame = 0;
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;
  std::uint64_t self_bytes = 0;
  std::uint64_t used_bytes = 0; ///< of it and the boxes below
  std::uint64_t total_bytes = 0;
  bool is_free = false;
};

bool is_free_memory(const NodeKey& key) {
  return key == NodeKey{BlockState::inactive} || key == NodeKey{Pseudo::unaccounted};
}

/// Returns the next node below `top`, in drawing order; kNoNode after the last.
NodeId next_node(const FrameTree& tree, NodeId top, NodeId node) {
  if (tree[node].first_child != kNoNode) return tree[node].first_child;
  while (node != top && tree[node].next_sibling == kNoNode)
    node = tree[node].parent;
  return node == top ? kNoNode : tree[node].next_sibling;
}

/// The boxes of one profile, parents before their children. The first box is the top of the profile and is in no stack.
class Boxes {
public:
  Boxes(const FrameTree& tree, NodeId top, FrameNumbers& frames) : boxes_(1) {
    std::map<NodeId, std::uint32_t> by_node{{top, 0}};
    boxes_.front().self_bytes = tree[top].self.bytes;
    for (NodeId id = next_node(tree, top, top); id != kNoNode; id = next_node(tree, top, id)) {
      const std::uint32_t box = child(by_node.at(tree[id].parent), frames.number(tree[id].key));
      by_node.emplace(id, box);
      boxes_[box].self_bytes += tree[id].self.bytes;
      boxes_[box].is_free = is_free_memory(tree[id].key);
    }
    sum_up();
    order();
    for (const std::uint32_t box : samples_)
      frames.count_sample(boxes_[box].depth);
  }

  void write(JsonWriter& json, const std::string& name) const {
    json.begin_object().member("type", "sampled").member("name", name).member("unit", "bytes");
    json.member("startValue", 0).member("endValue", boxes_.front().total_bytes);
    json.key("samples").begin_array();
    for (const std::uint32_t box : samples_) {
      json.begin_array(JsonLayout::compact);
      for (const std::size_t frame : stack_of(box))
        json.value(frame);
      json.end_array();
    }
    json.end_array().key("weights").begin_array(JsonLayout::compact);
    for (const std::uint32_t box : samples_)
      json.value(boxes_[box].self_bytes);
    json.end_array().end_object();
  }

private:
  std::uint32_t child(std::uint32_t parent, std::size_t frame) {
    const auto [place, is_new] = by_parent_.try_emplace({parent, frame}, static_cast<std::uint32_t>(boxes_.size()));
    if (is_new) boxes_.push_back({.frame = frame, .parent = parent, .depth = boxes_[parent].depth + 1});
    return place->second;
  }

  void sum_up() {
    for (std::size_t i = boxes_.size(); i-- > 0;) {
      Box& box = boxes_[i];
      box.total_bytes += box.self_bytes;
      box.used_bytes = box.is_free ? 0 : box.used_bytes + box.self_bytes;
      if (i == 0) return;
      boxes_[box.parent].total_bytes += box.total_bytes;
      boxes_[box.parent].used_bytes += box.used_bytes;
    }
  }

  /// Puts boxes with most memory in use first and free memory last. Bytes that end at a box follow the boxes within it.
  void order() {
    std::vector<std::vector<std::uint32_t>> children(boxes_.size());
    for (std::uint32_t i = 1; i < boxes_.size(); ++i)
      children[boxes_[i].parent].push_back(i);
    std::vector<std::uint32_t> waiting{0};
    while (!waiting.empty()) {
      const std::uint32_t box = waiting.back();
      waiting.pop_back();
      if (boxes_[box].self_bytes > 0) samples_.push_back(box);
      std::ranges::stable_sort(children[box], std::greater(), [&](std::uint32_t child) {
        return std::pair(boxes_[child].used_bytes, boxes_[child].total_bytes);
      });
      waiting.insert(waiting.end(), children[box].begin(), children[box].end());
    }
    std::ranges::reverse(samples_);
  }

  /// Returns the frames of a box, outermost first.
  [[nodiscard]] std::vector<std::size_t> stack_of(std::uint32_t box) const {
    std::vector<std::size_t> stack;
    for (; box != 0; box = boxes_[box].parent)
      stack.push_back(boxes_[box].frame);
    std::ranges::reverse(stack);
    return stack;
  }

  std::vector<Box> boxes_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> by_parent_;
  std::vector<std::uint32_t> samples_; ///< the boxes at which bytes end, in drawing order
};

class Speedscope {
public:
  explicit Speedscope(const SpeedscopeSubject& subject)
      : name_(subject.name), frames_(subject.frames, subject.file_bytes) {
    for (const SpeedscopeProfile& profile : subject.profiles)
      profiles_.emplace_back(profile.name, Boxes(subject.tree, profile.top, frames_));
  }

  void write(const TextSink& sink) const {
    std::string text;
    JsonWriter json(text, sink);
    json.begin_object().member("$schema", "https://www.speedscope.app/file-format-schema.json");
    json.member("name", name_).member("exporter", "memviz@" + std::string(version()));
    json.member("activeProfileIndex", 0).key("shared").begin_object().key("frames");
    frames_.write(json);
    json.end_object().key("profiles").begin_array();
    for (const auto& [name, boxes] : profiles_)
      boxes.write(json, name);
    json.end_array().end_object();
    sink(text + '\n');
  }

private:
  std::string name_;
  FrameNumbers frames_;
  std::vector<std::pair<std::string, Boxes>> profiles_;
};

} // namespace

TextSource speedscope_source(const SpeedscopeSubject& subject) {
  const auto text = std::make_shared<const Speedscope>(subject);
  return [text](const TextSink& sink) { text->write(sink); };
}

} // namespace memviz
