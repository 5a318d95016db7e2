#include "memviz/compare.hpp"
#include "memviz/flame.hpp"
#include "memviz/input.hpp"
#include "memviz/label.hpp"
#include "support/files.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"
#include "support/tree_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Path of labels -> blocks that end there, of memory in use.
using LabelPaths = std::map<std::string, std::uint64_t>;

LabelPaths label_paths(const FrameTable& frames, const FrameTree& tree) {
  check_conserves_bytes(tree);
  LabelPaths found;
  std::vector<std::string> path_of(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const auto& node = tree.nodes[i];
    const std::string& parent = path_of[node.parent.value];
    path_of[i] = (parent.empty() ? "" : parent + "/") + node_label(frames, node.key);
    if (node.self.blocks > 0) found[path_of[i]] = node.self.blocks;
  }
  return found;
}

LabelPaths grouped(const Recording& snapshot, std::vector<Level> levels) {
  const MemoryState state = with_births(end_of(snapshot));
  TreeOptions options;
  options.levels = std::move(levels);
  return label_paths(snapshot.frames, build_frame_tree(state, options));
}

PythonValue told_mark(const char* name, const char* stage, std::int64_t time_us, int device = 0) {
  return dict({{"name", name}, {"stage", stage}, {"device", device}, {"time_us", time_us}});
}

/// Blocks of 512 bytes, one after the other, each with its alloc.
class ToldProgram {
public:
  ToldProgram() : segment_(builder_.segment(0x1000, 8192)) {}

  ToldProgram& alloc(std::optional<std::int64_t> time_us, const char* metadata = "", const char* context = "N/A") {
    PythonPairs event{{"action", "alloc"},          {"addr", address_},          {"size", 512},       {"stream", 0},
                      {"compile_context", context}, {"user_metadata", metadata}, {"frames", frames()}};
    if (time_us) event.emplace_back("time_us", *time_us);
    builder_.event(dict(event));
    return unrecorded();
  }
  ToldProgram& unrecorded() {
    segment_.active(512, 512, {"/app/train.py:12:step"});
    address_ += 512;
    return *this;
  }
  [[nodiscard]] Recording with(PythonItems marks) {
    segment_.inactive(8192 - (address_ - 0x1000));
    builder_.set("external_annotations", list(std::move(marks)));
    return builder_.read();
  }

private:
  static PythonValue frames() { return frames_of({"/app/train.py:12:step"}); }

  SnapshotBuilder builder_;
  SegmentBuilder segment_;
  std::uint64_t address_ = 0x1000;
};

const std::string kStepBelow = "/step train.py:12";

} // namespace

TEST_CASE("memory is grouped by the annotations that were open when it was allocated, outermost first") {
  ToldProgram program;
  program.alloc(5).alloc(10).alloc(25).alloc(30).alloc(45).alloc(50);
  const Recording snapshot = program.with({told_mark("step", "START", 10), told_mark("forward", "START", 20),
                                           told_mark("forward", "END", 30), told_mark("step", "END", 40),
                                           told_mark("step", "START", 45), told_mark("elsewhere", "START", 0, 1)});
  CHECK(grouped(snapshot, {Level::annotation}) == LabelPaths{{"<no annotation>" + kStepBelow, 1},
                                                             {"step" + kStepBelow, 3},
                                                             {"step/forward" + kStepBelow, 2},
                                                             {"inactive", 1}});
}

TEST_CASE("an annotation that only ends was open from the beginning") {
  ToldProgram program;
  program.alloc(5).alloc(15).alloc(25);
  const Recording snapshot =
      program.with({told_mark("inner", "END", 10), told_mark("outer", "END", 20), told_mark("", "", 2)});
  CHECK(grouped(snapshot, {Level::annotation, Level::state}) ==
        LabelPaths{{"outer/inner/active_allocated" + kStepBelow, 1},
                   {"outer/active_allocated" + kStepBelow, 1},
                   {"<no annotation>/active_allocated" + kStepBelow, 1},
                   {"inactive", 1}});
}

TEST_CASE("annotations that overlap end each for itself, and of very many the innermost are levels") {
  ToldProgram program;
  PythonItems marks;
  SUBCASE("one that ends first although it began first") {
    program.alloc(5).alloc(15);
    const Recording snapshot = program.with({told_mark("first", "START", 0), told_mark("second", "START", 1),
                                             told_mark("first", "END", 10), told_mark("second", "END", 20)});
    CHECK(grouped(snapshot, {Level::annotation}) ==
          LabelPaths{{"first/second" + kStepBelow, 1}, {"second" + kStepBelow, 1}, {"inactive", 1}});
  }
  SUBCASE("forty of them") {
    program.alloc(100);
    for (int i = 0; i < 40; ++i)
      marks.push_back(told_mark(("m" + std::to_string(i)).c_str(), "START", i));
    const LabelPaths found = grouped(program.with(marks), {Level::annotation});
    CHECK(found.begin()->first.starts_with("inactive"));
    CHECK(std::prev(found.end())->first.starts_with("m24/m25/"));
  }
}

TEST_CASE("what is unknown has a node that says so") {
  ToldProgram program;
  program.alloc(5, "phase 1", "Torch-Compiled Region: 0/0")
      .alloc(std::nullopt)
      .unrecorded()
      .alloc(6, R"({"a": {"b": 1}})");
  const Recording snapshot = program.with({told_mark("step", "START", 0)});
  CHECK(grouped(snapshot, {Level::metadata}) == LabelPaths{{"phase 1" + kStepBelow, 1},
                                                           {"<no metadata>" + kStepBelow, 1},
                                                           {"<metadata unknown>" + kStepBelow, 1},
                                                           {R"({"a": {"b": 1}})" + kStepBelow, 1},
                                                           {"inactive", 1}});
  CHECK(grouped(snapshot, {Level::compile}) == LabelPaths{{"Torch-Compiled Region: 0/0" + kStepBelow, 1},
                                                          {"<not compiled>" + kStepBelow, 2},
                                                          {"<compilation unknown>" + kStepBelow, 1},
                                                          {"inactive", 1}});
  CHECK(grouped(snapshot, {Level::annotation}) ==
        LabelPaths{{"step" + kStepBelow, 2}, {"<annotation unknown>" + kStepBelow, 2}, {"inactive", 1}});
  CHECK(grouped(snapshot, {Level::compile, Level::stream, Level::metadata})
            .contains("Torch-Compiled Region: 0/0/stream 0/phase 1" + kStepBelow));
}

TEST_CASE("without births all of it is unknown") {
  ToldProgram program;
  program.alloc(5, "phase 1");
  const Recording snapshot = program.with({told_mark("step", "START", 0)});
  TreeOptions options;
  options.levels = {Level::metadata, Level::annotation};
  CHECK(label_paths(snapshot.frames, build_frame_tree(end_of(snapshot), options)) ==
        LabelPaths{{"<metadata unknown>/<annotation unknown>" + kStepBelow, 1}, {"inactive", 1}});
}

TEST_CASE("two snapshots share what their texts say, whatever its number in either") {
  ToldProgram one;
  one.alloc(5, "phase 1").alloc(6, "phase 2");
  ToldProgram other;
  other.alloc(5, "new").alloc(6, "phase 2").alloc(7, "phase 1");
  const Recording before = one.with({});
  const Recording after = other.with({});
  const MemoryState before_state = with_births(end_of(before));
  const MemoryState after_state = with_births(end_of(after));
  CompareOptions options;
  options.tree.levels = {Level::metadata};
  const Comparison comparison = compare_snapshots(before_state, after_state, options);
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;
  for (const auto& node : comparison.tree.nodes)
    if (node.parent == kRoot)
      found[node_label(comparison.frames, node.key)] = {node.total.before.bytes, node.total.after.bytes};
  CHECK(found.at("phase 1") == std::pair<std::uint64_t, std::uint64_t>{512, 512});
  CHECK(found.at("phase 2") == std::pair<std::uint64_t, std::uint64_t>{512, 512});
  CHECK(found.at("new") == std::pair<std::uint64_t, std::uint64_t>{0, 512});
}

TEST_CASE("every byte of testdata is in such a tree once") {
  for (const auto& path : files_in(testdata(), ".pickle")) {
    CAPTURE(path.string());
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    const MemoryState state = with_births(end_of(snapshot));
    TreeOptions options{
        .levels = {Level::annotation, Level::kind, Level::state, Level::compile, Level::device, Level::metadata},
        .frames = FrameFilter::filtered,
        .focus = {},
        .hide = {},
        .device = {}};
    const FrameTree tree = build_frame_tree(state, options);
    check_conserves_bytes(tree);
    options.levels.clear();
    CHECK(tree.root().total == build_frame_tree(state, options).root().total);
  }
}

TEST_CASE("the newest writer's file says it all") {
  const Recording snapshot = read_snapshot(read_input((testdata() / "gen_2.15_annotate.pickle").string()).bytes());
  const MemoryState state = with_births(end_of(snapshot));
  std::map<std::string_view, std::size_t> annotated;
  for (const BlockFacts& facts : state.facts)
    for (const StringId text : facts.birth.value().annotations)
      ++annotated[snapshot.frames.text(text)];
  CHECK(annotated == std::map<std::string_view, std::size_t>{
                         {"a buffer from before", 1}, {"the weights", 1}, {"of layer 0 <&>", 1}});
  TreeOptions options;
  options.levels = {Level::annotation, Level::compile, Level::metadata};
  std::vector<std::string> first_levels;
  const FrameTree tree = build_frame_tree(state, options);
  for (const auto& node : tree.nodes)
    if (node.parent == kRoot) first_levels.push_back(node_label(snapshot.frames, node.key));
  std::sort(first_levels.begin(), first_levels.end());
  CHECK(first_levels == std::vector<std::string>{"<annotation unknown>", "<no annotation>", "inactive", "request"});
}
