#include "memviz/svg.hpp"
#include "story/kind_words.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"
#include "support/tree_builder.hpp"

#include "graph/box_kinds.hpp"
#include "page/naming.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr KindOf kActivation{MemoryKind::activation, KindEvidence::behaviour};
constexpr KindOf kWorkspace{MemoryKind::workspace, KindEvidence::frames};
constexpr KindOf kOldParameter{MemoryKind::parameter, KindEvidence::behaviour};

/// One line with 9,500 bytes of activations and 500 of a workspace, one with 600 and 400, and 2,000 bytes that are
/// older than the recording.
MemoryState state_with(const std::vector<KindOf>& kinds) {
  SmallSnapshot made;
  const StackId clear = made.stack({"/app/train.py:1:main", "/app/model.py:5:forward"});
  const StackId mixed = made.stack({"/app/train.py:1:main", "/app/model.py:9:mix"});
  made.segment(0x100000, 20'000);
  made.active(9'600, 9'500, clear).active(500, 500, clear).active(600, 600, mixed).active(400, 400, mixed);
  made.active(1'500, 1'500).active(500, 500).inactive(6'900);
  made.event(Action::alloc, 0x100000, 9'500, clear);
  const auto recording = std::make_shared<const Recording>(made.take());
  MemoryState state = rewind(recording, {});
  set_kinds(state, kinds);
  return state;
}

MemoryState known_state() {
  return state_with({kActivation, kWorkspace, kActivation, kWorkspace, kOldParameter, {}});
}

std::string flame_of(const MemoryState& state, SvgOptions options = {.scripts = false}, bool with_kinds = true) {
  TreeOptions levels;
  const KindTree built = build_kind_tree(state, levels);
  check_conserves_bytes(built.tree);
  FlamePicture picture{.file = "a.pickle", .subject = memory_subject(state, std::nullopt), .tree = built.tree};
  if (with_kinds) picture.kinds = built.kinds;
  std::string svg = flame_svg(picture, options);
  check_svg(svg);
  return svg;
}

SvgOptions by_kind() {
  SvgOptions options{.scripts = false};
  options.color = ColorBy::kind;
  return options;
}

std::string sentence_of(const std::string& svg) {
  return visible_text(parse_svg(svg));
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a flame graph's header shows what is in use by kind, in the order of kinds") {
  const MemoryState state = known_state();
  const KindFigures figures = kind_figures(memory_subject(state, std::nullopt));
  std::vector<std::string> texts;
  std::uint64_t bytes = 0;
  for (const KindFigure& figure : figures.figures) {
    texts.push_back(figure.text);
    bytes += figure.amount.bytes;
  }
  CHECK(bytes == sum_of(state.devices).requested_bytes);
  CHECK(texts == std::vector<std::string>{"parameter 1.46 KiB, 11.5 %", "activation 9.86 KiB, 77.7 %",
                                          "workspace 900 B, 6.9 %", "unknown 500 B, 3.8 %"});
  const std::string text = sentence_of(flame_of(state));
  for (const std::string& part : texts)
    CHECK_MESSAGE(has(text, part), part);
  CHECK(has(text, "Requested, by kind"));
}

TEST_CASE("where no kind is known a flame graph is as if no one had asked") {
  const MemoryState state = state_with({});
  MemoryState without = state_with({});
  without.has_kinds = false;
  CHECK(flame_of(state) == flame_of(without));
  CHECK(has(flame_of(state, by_kind()), "The kind of all this memory is unknown"));
}

TEST_CASE("the list of a flame graph names the kind of 90 % or more, else the largest shares") {
  const MemoryState state = known_state();
  const std::vector<UserLine> users = rank_user_lines(state, std::nullopt);
  std::vector<std::string> cells;
  for (const UserLine& user : users) {
    CHECK(shared_bytes(user.kinds) == user.amount.bytes);
    cells.push_back(kinds_cell(user.kinds));
  }
  CHECK(cells ==
        std::vector<std::string>{"activation", "parameter 75 %, unknown 25 %", "activation 60 %, workspace 40 %"});
  CHECK(kinds_cell({{KindOf{}, {10, 1}}}).empty());
  CHECK(kinds_cell({}).empty());
  const std::string text = sentence_of(flame_of(state));
  CHECK(has(text, "\nactivation\n"));
}

TEST_CASE(
    "the answer of a flame graph says what the memory without a stack is, where nine tenths of it are of a kind") {
  MemoryState state = known_state();
  CHECK(!has(flame_story(memory_subject(state, std::nullopt)).answer, "Sizes and lifetimes"));
  for (std::size_t i = 0; i < state.blocks.size(); ++i)
    if (state.frames().stack(state.blocks[i].stack).empty() && state.blocks[i].is_active())
      state.facts[i].kind = {MemoryKind::parameter_or_state, KindEvidence::behaviour};
  const MemorySubject subject = memory_subject(state, std::nullopt);
  CAPTURE(flame_story(subject).answer);
  CHECK(kind_figures(subject).figures.size() == 3);
}

TEST_CASE("memory without a stack has a box for each kind of it") {
  const MemoryState state = known_state();
  const std::vector<SvgBox> boxes = boxes_of(parse_svg(flame_of(state)));
  const SvgBox reason = box_titled(boxes, "<no stack: ");
  CHECK(reason.bytes == 2'000);
  CHECK(reason.css_class == "nostack");
  const SvgBox parameter = box_titled(boxes, "parameter\n");
  CHECK(parameter.bytes == 1'500);
  CHECK(parameter.css_class == "kind-parameter");
  CHECK(has(parameter.title, "the first blocks of this size, as many as gradients; older than the recording"));
  CHECK(has(parameter.title, "kind: parameter, by behaviour"));
  const SvgBox unknown = box_titled(boxes, "unknown\n");
  CHECK(unknown.bytes == 500);
  CHECK(unknown.css_class == "nostack");
  SUBCASE("but not where the tree has kinds above") {
    TreeOptions levels;
    levels.levels = {Level::kind};
    const KindTree built = build_kind_tree(state, levels);
    CHECK(std::ranges::none_of(built.tree.nodes, [&](const TreeNode<Amount>& node) {
      return node.key == NodeKey(MemoryKind::parameter) && node.parent != kRoot;
    }));
  }
  SUBCASE("and not in the tree that is exported") {
    CHECK(build_frame_tree(state, {}).nodes.size() + 2 == build_kind_tree(state, {}).tree.nodes.size());
  }
}

TEST_CASE("by kind, boxes have the colour of 90 % of their bytes, and the legend names those that occur") {
  const std::string svg = flame_of(known_state(), by_kind());
  const std::vector<SvgBox> boxes = boxes_of(parse_svg(svg));
  CHECK(box_titled(boxes, "forward\n").css_class == "kind-activation");
  CHECK(box_titled(boxes, "mix\n").css_class == "kind-several");
  CHECK(box_titled(boxes, "unknown\n").css_class == "kind-unknown");
  CHECK(box_titled(boxes, "in use (active_allocated)\n").css_class == "group");
  CHECK(box_titled(boxes, "<gaps>").css_class == "rounding");
  CHECK(has(box_titled(boxes, "mix\n").title, "kinds: activation 600 B by behaviour, workspace 400 B by frames"));
  const std::string text = sentence_of(svg);
  // Kinds that the bar names with their bytes are not named again.
  CHECK(has(text, "\nparameter "));
  CHECK_FALSE(has(text, "\nparameter\n"));
  CHECK(has(text, "\nseveral kinds\n"));
  CHECK_FALSE(has(text, "\ngradient\n"));
  CHECK(has(text, "colour = kind of memory"));
}

TEST_CASE("merged boxes keep the kinds of what they merge") {
  const MemoryState state = known_state();
  const KindTree built = build_kind_tree(state, {});
  const auto origins = render::origins_of(state.frames());
  for (const double share : {0.0, 0.1, 0.6, 0.9}) {
    const auto layout = render::lay_out(built.tree, origins, {.fold = render::Fold::nothing, .min_share = share});
    const std::vector<KindShares> shares = render::kinds_of_boxes(built.tree, layout, built.kinds);
    CHECK(shared_bytes(shares.front()) == sum_of(state.devices).requested_bytes);
    for (std::size_t i = 0; i < layout.boxes.size(); ++i)
      CHECK(shared_bytes(shares[i]) <= layout.boxes[i].total.bytes);
  }
}

TEST_CASE("the script of a flame graph gets the kinds of each box") {
  SvgOptions options = by_kind();
  options.scripts = true;
  const pugi::xml_document document = parse_svg(flame_of(known_state(), options));
  const pugi::xml_node graph = document.select_node("//g[@id='graph']").node();
  CHECK(std::string_view(graph.attribute("data-color").value()) == "kind");
  CHECK(has(graph.attribute("data-kinds").value(), "activation,by behaviour,kind-activation"));
  CHECK(document.select_node("//g[@id='graph']/g[contains(@data-kinds, ':600')]"));
  CHECK(document.select_node("//g[@id='graph']/g[@data-reason]"));
}

TEST_CASE("a state by kind colours each block by its own, and each line by most of it") {
  const MemoryState state = known_state();
  SvgOptions options{.scripts = true};
  options.color = ColorBy::kind;
  const std::string svg = state_svg({.file = "a.pickle", .state = state, .device = std::nullopt}, options);
  check_svg(svg);
  const pugi::xml_document document = parse_svg(svg);
  CHECK(document.select_node("//g[@id='board']/g[@class='kind-activation']/path"));
  CHECK(document.select_node("//g[@id='board']/g[@class='kind-workspace']/path"));
  CHECK(document.select_node("//g[@class='row']/g[@class='kind-several']"));
  CHECK(document.select_node("//metadata/classes/c[@k='activation, by behaviour']"));
  const std::string text = visible_text(document);
  CHECK(has(text, "parameter\nactivation\nworkspace\nseveral kinds\nunknown\n"));
  CHECK(has(svg, "data-kinds=\"activation 60 %, workspace 40 %\""));
}

TEST_CASE("the list of a picture names the kinds of a line, as many as fit") {
  const std::string text =
      sentence_of(state_svg({.file = "a.pickle", .state = known_state(), .device = std::nullopt}, by_kind()));
  CHECK(has(text, "\nactivation 60 %\n"));
}
