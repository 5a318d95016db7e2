#include "graph/describe.hpp"

#include "page/kind_paints.hpp"

#include "base/saturating.hpp"
#include "memviz/format.hpp"
#include "story/keeper_words.hpp"
#include "story/kind_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <variant>

namespace memviz::render {
namespace {

/// "AccumulateGrad::apply" of "torch::autograd::AccumulateGrad::apply".
std::string_view last_two_parts(std::string_view name) {
  const std::size_t last = name.rfind("::");
  if (last == std::string_view::npos || last == 0) return name;
  const std::size_t before = name.rfind("::", last - 1);
  return before == std::string_view::npos ? name : name.substr(before + 2);
}

/// The size in bytes at which the list of a box's frames ends.
constexpr std::size_t kLongestTitle = 4096;

/// Below this share of a box's width a difference is drawn pale.
constexpr std::uint64_t kLittleChange = 20; // 1/20

const Paint& paint_of(const Change& change) {
  const std::int64_t delta = change.delta_bytes();
  if (change.before.bytes == 0 && change.after.bytes > 0) return paint::kAdded;
  if (change.after.bytes == 0 && change.before.bytes > 0) return paint::kRemoved;
  if (delta == 0) return paint::kSame;
  const bool is_little = magnitude(delta) < change.width_bytes / kLittleChange;
  if (delta > 0) return is_little ? paint::kGrownLittle : paint::kGrown;
  return is_little ? paint::kShrunkLittle : paint::kShrunk;
}

/// Whether something changed although before and after are equal: some stacks appeared, others disappeared.
bool has_moved(const Change& change) {
  return change.delta_bytes() == 0 && change.width_bytes > change.before.bytes;
}

std::string side_text(std::string_view side, const Amount& amount) {
  return fmt::format("{}: {}, {}", side, format_exact_bytes(amount.bytes), format_counted(amount.blocks, "block"));
}

std::string change_text(const Change& change) {
  const std::int64_t delta = change.delta_bytes();
  std::string text = fmt::format("change: {}", delta_text(delta));
  if (has_moved(change)) return text + " net, but not the same stacks";
  if (delta == 0) return text;
  if (change.before.bytes == 0) return text + ", only after";
  if (change.after.bytes == 0) return text + ", only before";
  return text + ", " + format_change(magnitude(delta), change.before.bytes, "the size before");
}

/// Returns the lines of a tooltip with a box's weight; `shares` is one of them.
std::string weight_text(const Amount& amount, const std::string& shares, Quantity quantity) {
  if (quantity == Quantity::work)
    return fmt::format("{}\n{}{}", format_exact_flops(amount.bytes), shares, format_counted(amount.blocks, "call"));
  return fmt::format("{}\n{}{}", format_exact_bytes(amount.bytes), shares, format_counted(amount.blocks, "block"));
}

std::string weight_text(const Change& change, const std::string& shares, Quantity /*quantity*/) {
  return fmt::format("{}\n{}\n{}\n{}width is the larger side of each stack", side_text("before", change.before),
                     side_text("after", change.after), change_text(change), shares);
}

std::string note_of(const Amount& amount, Quantity quantity) {
  return quantity == Quantity::work ? format_flops(amount.bytes) : format_bytes(amount.bytes);
}

std::string note_of(const Change& change, Quantity /*quantity*/) {
  if (has_moved(change)) return "±0 B";
  return change.delta_bytes() == 0 ? format_bytes(change.after.bytes) : delta_text(change.delta_bytes());
}

template <class Weight> class Describer {
public:
  /// `kinds` by box, or empty.
  Describer(const FrameWords& words, const Tree<Weight>& tree, const Layout<Weight>& layout,
            std::vector<KindShares> kinds, bool has_kind_colours)
      : frames_(words.frames), labels_(words.frames), origins_(words.origins), paints_(words.paints),
        quantity_(words.quantity), tree_(tree), layout_(layout), kinds_(std::move(kinds)),
        has_kind_colours_(has_kind_colours), keepers_(words.keepers) {
    if (keepers_ == nullptr) return;
    for (std::uint32_t i = 0; i < keepers_->keepers.size(); ++i)
      if (keepers_->keepers[i].steps.size() > 1) keeper_of_steps_.emplace(keepers_->keepers[i].steps, i);
  }

  [[nodiscard]] FlameGraph run() {
    FlameGraph graph;
    graph.units = layout_.units;
    graph.rows = layout_.rows;
    graph.is_squeezed = layout_.is_squeezed;
    graph.frames = &frames_;
    graph.origins = &origins_;
    graph.paints = &paints_;
    graph.quantity = quantity_;
    graph.has_kinds = !kinds_.empty() && has_known_kind(kinds_.front());
    graph.has_kind_colours = has_kind_colours_;
    graph.boxes.reserve(layout_.boxes.size());
    graph.has_keepers = std::ranges::any_of(layout_.boxes, [&](const Box<Weight>& box) {
      return std::holds_alternative<KeeperStep>(tree_[box.first].key);
    });
    for (std::size_t i = 0; i < layout_.boxes.size(); ++i) {
      graph.boxes.push_back(describe_box(layout_.boxes[i], i));
      paint_like_caller(graph.boxes.back(), graph.boxes[graph.boxes.back().parent]);
    }
    return graph;
  }

private:
  void paint_like_caller(GraphBox& box, const GraphBox& caller) const {
    const auto is_of_caller = [&](FrameId frame) { return paints_.is_of_caller(frame); };
    if (box.role == BoxRole::frames && caller.role == BoxRole::frames && std::ranges::all_of(box.frames, is_of_caller))
      box.paint = caller.paint;
  }

  [[nodiscard]] GraphBox describe_box(const Box<Weight>& box, std::size_t index) {
    GraphBox drawn;
    if (index < kinds_.size()) drawn.kinds = std::move(kinds_[index]);
    drawn.reason = reason_of(box, drawn.kinds);
    drawn.parent = box.parent;
    drawn.row = box.row;
    drawn.x_units = box.x_units;
    drawn.width_units = box.width_units;
    drawn.is_squeezed = box.is_squeezed;
    drawn.role = role_of(box);
    drawn.frames = frames_of(box);
    drawn.stacks = box.stacks;
    drawn.label = label_of(box, drawn.frames);
    drawn.label.note = note_of(box.total, quantity_);
    if (box.is_squeezed) drawn.label = squeezed_label(drawn.label);
    drawn.bytes = width_bytes(box.total);
    weigh(drawn, box.total);
    drawn.paint = &paint_for(box, drawn);
    drawn.title = title_of(box, drawn);
    return drawn;
  }

  static void weigh(GraphBox& drawn, const Amount& total) { drawn.blocks = total.blocks; }
  static void weigh(GraphBox& drawn, const Change& total) {
    drawn.blocks = std::max(total.before.blocks, total.after.blocks);
    drawn.sides = Sides{total.before, total.after};
  }

  [[nodiscard]] BoxRole role_of(const Box<Weight>& box) const {
    if (box.kind == BoxKind::smaller || box.kind == BoxKind::deeper) return BoxRole::smaller;
    const NodeKey& key = tree_[box.first].key;
    if (std::holds_alternative<Pseudo>(key) || missing_stack(box)) return BoxRole::reason;
    return is_frame(key) ? BoxRole::frames : BoxRole::group;
  }

  /// Returns why a box's memory has no stack; null if the box is a level of the tree.
  [[nodiscard]] const Pseudo* missing_stack(const Box<Weight>& box) const {
    const TreeNode<Weight>& node = tree_[box.first];
    if (!std::holds_alternative<MemoryKind>(node.key)) return nullptr;
    return std::get_if<Pseudo>(&tree_[node.parent].key);
  }

  [[nodiscard]] std::string reason_of(const Box<Weight>& box, const KindShares& shares) const {
    const Pseudo* const missing = box.kind == BoxKind::node ? missing_stack(box) : nullptr;
    return missing == nullptr || shares.empty() ? "" : kind_reason(shares.front().kind, *missing);
  }

  [[nodiscard]] std::vector<FrameId> frames_of(const Box<Weight>& box) const {
    std::vector<FrameId> frames;
    if (role_of(box) != BoxRole::frames) return frames;
    for (NodeId id = box.first;; id = tree_[id].first_child) {
      frames.push_back(std::get<FrameId>(tree_[id].key));
      if (id == box.last) return frames;
    }
  }

  /// Returns the frame that a folded run is named after: the one it leads to, or, at a leaf, the one from which the
  /// allocator was called.
  [[nodiscard]] FrameId representative(const Box<Weight>& box, const std::vector<FrameId>& run) const {
    return tree_[box.last].first_child == kNoNode ? run.front() : run.back();
  }

  [[nodiscard]] Label label_of(const Box<Weight>& box, const std::vector<FrameId>& run) {
    if (box.kind == BoxKind::smaller)
      return {.name = fmt::format("<smaller: {}>", format_counted(box.stacks, "stack"))};
    if (box.kind == BoxKind::deeper) return {.name = fmt::format("<deeper: {}>", format_counted(box.stacks, "stack"))};
    if (box.kind == BoxKind::run) {
      const Label named = labels_.of(representative(box, run));
      const bool is_leaf = tree_[box.last].first_child == kNoNode;
      return {.name = fmt::format("⋯ {}", format_counted(run.size(), "frame")),
              .place = fmt::format("{} {}", is_leaf ? "from" : "to", last_two_parts(named.name)),
              .brief = fmt::format("⋯ {}", run.size())};
    }
    const NodeKey& key = tree_[box.first].key;
    const auto* frame = std::get_if<FrameId>(&key);
    return frame != nullptr ? labels_.of(*frame) : key_label(frames_, key);
  }

  /// The width does not show the bytes, so the bytes precede everything else, such as PyTorch's name of a state.
  [[nodiscard]] static Label squeezed_label(const Label& label) {
    return {.name = fmt::format("{} {}", label.brief.empty() ? label.name : label.brief, label.note),
            .place = "not to scale",
            .brief = label.brief};
  }

  [[nodiscard]] const Paint& paint_for(const Box<Weight>& box, const GraphBox& drawn) const {
    if constexpr (std::is_same_v<Weight, Change>) {
      return paint_of(box.total);
    } else {
      const bool is_merged = box.kind == BoxKind::smaller || box.kind == BoxKind::deeper;
      if (const Paint* const paint = kind_colour(box, drawn, is_merged)) return *paint;
      if (is_merged) return paint::kSmaller;
      if (box.kind == BoxKind::run) return paints_.of(representative(box, drawn.frames));
      return paints_.of(tree_[box.first].key);
    }
  }

  /// Returns null if the box has the colour of its code or of the allocator. Memory without a stack has the colour of
  /// its kind in any case, if known.
  [[nodiscard]] const Paint* kind_colour(const Box<Amount>& box, const GraphBox& drawn, bool is_merged) const {
    const auto* kind = is_merged ? nullptr : std::get_if<MemoryKind>(&tree_[box.first].key);
    if (!has_kind_colours_) {
      if (kind == nullptr || drawn.role != BoxRole::reason) return nullptr;
      return *kind == MemoryKind::unknown ? &paint::kNoStack : &kind_paint(*kind);
    }
    if (kind != nullptr) return &kind_paint(*kind);
    // Free memory, rounding, and boxes that merge them with other memory have no kind.
    const bool is_in_use = drawn.role != BoxRole::group && shared_bytes(drawn.kinds) == box.total.bytes;
    return is_in_use ? &kind_paint(drawn.kinds, box.total.bytes) : nullptr;
  }

  /// "16.6 % of all, 100 % of the box above" as a separate line; the root needs none.
  [[nodiscard]] std::string share_line(const Box<Weight>& box) const {
    if (box.row == 0) return "";
    const std::uint64_t bytes = width_bytes(box.total);
    return fmt::format("{} of all, {} of the box above\n", format_percent(bytes, width_bytes(tree_.root().total)),
                       format_percent(bytes, width_bytes(layout_.boxes[box.parent].total)));
  }

  [[nodiscard]] std::string title_of(const Box<Weight>& box, const GraphBox& drawn) {
    std::string title = fmt::format("{}\n{}", heading(box, drawn), weight_text(box.total, share_line(box), quantity_));
    if (const std::string kinds = kinds_lines(drawn.kinds); !kinds.empty()) title += '\n' + kinds;
    if (box.is_squeezed) title += "\ndrawn narrower than it is, to leave room for what is in use";
    if (box.kind != BoxKind::run) return title;
    std::size_t listed = 0;
    for (; listed < drawn.frames.size() && title.size() < kLongestTitle; ++listed) {
      const Label label = labels_.of(drawn.frames[listed]);
      title += fmt::format("\n{} {}", label.name, label.place);
    }
    if (listed < drawn.frames.size())
      title += fmt::format("\n… and {}", format_counted(drawn.frames.size() - listed, "more frame"));
    return title;
  }

  [[nodiscard]] std::string heading(const Box<Weight>& box, const GraphBox& drawn) const {
    if (box.kind == BoxKind::run) return format_counted(drawn.frames.size(), "frame") + " without a branch";
    if (box.kind == BoxKind::smaller) return drawn.label.name + " too narrow to draw here";
    if (box.kind == BoxKind::deeper) return drawn.label.name + " below the last row drawn";
    const std::string text = key_heading(frames_, origins_, tree_[box.first].key) + path_line(box.first);
    return drawn.reason.empty() ? text : fmt::format("{}\n{}", text, drawn.reason);
  }

  /// Returns the whole path of a keeper as a separate line, "predictions[*] in validate train.py:12", and of a variable
  /// what becomes free if it goes; "" for a root.
  [[nodiscard]] std::string path_line(NodeId node) const {
    std::vector<KeeperStep> steps;
    for (const KeeperStep* step = std::get_if<KeeperStep>(&tree_[node].key); step != nullptr;
         node = tree_[node].parent, step = std::get_if<KeeperStep>(&tree_[node].key))
      steps.push_back(*step);
    std::ranges::reverse(steps);
    const std::string text = steps.size() < 2 ? "" : keeper_path_and_root(frames_, steps);
    const auto keeper = keeper_of_steps_.find(steps);
    return (text.empty() ? "" : "\n" + text) +
           (keeper == keeper_of_steps_.end() ? "" : "\n" + keeper_freed_text(*keepers_, keeper->second));
  }

  const FrameTable& frames_;
  FrameLabels labels_;
  const std::vector<CodeOrigin>& origins_;
  const FramePaints& paints_;
  Quantity quantity_;
  const Tree<Weight>& tree_;
  const Layout<Weight>& layout_;
  std::vector<KindShares> kinds_;
  bool has_kind_colours_;
  const KeeperTable* keepers_; ///< null if the tree has none
  std::map<std::vector<KeeperStep>, std::uint32_t> keeper_of_steps_;
};

} // namespace

FlameGraph describe(const FrameWords& words, const FrameTree& tree, const Layout<Amount>& layout,
                    const TreeKinds& kinds) {
  return Describer<Amount>(words, tree, layout, kinds_of_boxes(tree, layout, kinds.at), kinds.are_colours).run();
}

FlameGraph describe(const FrameWords& words, const DiffTree& tree, const Layout<Change>& layout) {
  return Describer<Change>(words, tree, layout, {}, false).run();
}

} // namespace memviz::render
