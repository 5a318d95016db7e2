#include "support/tree_builder.hpp"

#include "memviz/label.hpp"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <map>
#include <string_view>

namespace memviz::test {
namespace {

struct PseudoStep {
  std::string_view text;
  Pseudo pseudo;
};

constexpr std::array kPseudoSteps{
    PseudoStep{"<gaps>", Pseudo::gaps},
    PseudoStep{"<unaccounted>", Pseudo::unaccounted},
    PseudoStep{"<history off>", Pseudo::history_off},
    PseudoStep{"<before recording>", Pseudo::before_recording},
    PseudoStep{"<without stack>", Pseudo::without_stack},
    PseudoStep{"<filtered>", Pseudo::filtered},
    PseudoStep{"<not in focus>", Pseudo::not_focused},
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

NodeKey frame_key(FrameTable& frames, const std::string& step) {
  const std::size_t first = step.find(':');
  const std::size_t second = step.find(':', first + 1);
  REQUIRE_MESSAGE(second != std::string::npos, "a frame is file:line:name, not " << step);
  const Frame frame{frames.intern(step.substr(second + 1)), frames.intern(step.substr(0, first)),
                    std::stoll(step.substr(first + 1, second - first - 1))};
  return frames.add_frame(frame);
}

NodeKey key_of(FrameTable& frames, const std::string& step) {
  for (const BlockState state : {BlockState::active_allocated, BlockState::active_pending_free, BlockState::inactive})
    if (step == state_name(state)) return state;
  for (const PseudoStep& known : kPseudoSteps)
    if (step == known.text) return known.pseudo;
  if (step.starts_with("GPU ")) return DeviceKey{{static_cast<std::uint32_t>(std::stoul(step.substr(4)))}};
  if (step.starts_with("stream ")) return StreamKey{std::stoll(step.substr(7))};
  if (step.starts_with("segment ")) return SegmentKey{std::stoull(step.substr(8)), {}};
  return frame_key(frames, step);
}

template <class Weight> class Builder {
public:
  void add(const std::string& path, const Weight& weight) {
    std::size_t at = 0;
    grown_.front().total += weight;
    for (const std::string& step : split(path, ';')) {
      const NodeKey key = key_of(frames_, step);
      const auto [found, is_new] = grown_[at].children.try_emplace(key, grown_.size());
      at = found->second;
      if (is_new) {
        grown_.emplace_back();
        grown_.back().key = key;
      }
      grown_[at].total += weight;
    }
    grown_[at].self += weight;
  }

  BuiltTree<Weight> build() {
    BuiltTree<Weight> built;
    std::vector<std::pair<std::size_t, NodeId>> waiting{{0, kNoNode}};
    std::vector<NodeId> last_child;
    while (!waiting.empty()) {
      const auto [at, parent] = waiting.back();
      waiting.pop_back();
      const NodeId id{static_cast<std::uint32_t>(built.tree.nodes.size())};
      const Grown& grown = grown_[at];
      built.tree.nodes.push_back({grown.key, parent, kNoNode, kNoNode, grown.self, grown.total});
      last_child.push_back(kNoNode);
      if (parent != kNoNode) {
        NodeId& last = last_child[parent.value];
        (last == kNoNode ? built.tree.nodes[parent.value].first_child : built.tree.nodes[last.value].next_sibling) = id;
        last = id;
      }
      for (const std::size_t child : in_reverse_drawing_order(grown))
        waiting.emplace_back(child, id);
    }
    built.frames = std::move(frames_);
    return built;
  }

private:
  struct Grown {
    NodeKey key;
    Weight self;
    Weight total;
    std::map<NodeKey, std::size_t> children;
  };

  std::vector<std::size_t> in_reverse_drawing_order(const Grown& grown) const {
    std::vector<std::size_t> order;
    for (const auto& [key, index] : grown.children)
      order.push_back(index);
    std::sort(order.begin(), order.end(), [this](std::size_t left, std::size_t right) {
      const std::uint64_t left_width = width_bytes(grown_[left].total);
      const std::uint64_t right_width = width_bytes(grown_[right].total);
      if (left_width != right_width) return left_width < right_width;
      return node_label(frames_, grown_[left].key) > node_label(frames_, grown_[right].key);
    });
    return order;
  }

  FrameTable frames_;
  std::vector<Grown> grown_{1};
};

template <class Weight> void check(const Tree<Weight>& tree) {
  REQUIRE(!tree.nodes.empty());
  std::vector<Weight> sums(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const TreeNode<Weight>& node = tree.nodes[i];
    sums[i] += node.self;
    CHECK(sums[i] == node.total);
    if (i == 0) break;
    REQUIRE(node.parent.value < i);
    sums[node.parent.value] += node.total;
  }
}

} // namespace

BuiltTree<Amount> tree_of(const std::vector<Leaf>& leaves) {
  Builder<Amount> builder;
  for (const Leaf& leaf : leaves)
    builder.add(leaf.path, {leaf.bytes, leaf.blocks});
  return builder.build();
}

BuiltTree<Change> diff_tree_of(const std::vector<DiffLeaf>& leaves) {
  Builder<Change> builder;
  for (const DiffLeaf& leaf : leaves)
    builder.add(leaf.path, {{leaf.before_bytes, leaf.before_bytes > 0 ? 1U : 0U},
                            {leaf.after_bytes, leaf.after_bytes > 0 ? 1U : 0U},
                            std::max(leaf.before_bytes, leaf.after_bytes)});
  return builder.build();
}

void check_conserves_bytes(const FrameTree& tree) {
  check(tree);
}

void check_conserves_bytes(const DiffTree& tree) {
  check(tree);
}

} // namespace memviz::test
