#include "memviz/svg.hpp"

#include "support/svg_check.hpp"
#include "support/tree_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

namespace {

/// A snapshot whose frames and totals are those of a built tree.
struct Drawing {
  Snapshot snapshot;
  FrameTree tree;
  std::vector<DeviceStats> devices;
  std::vector<UserLine> users;
  std::vector<std::string> warnings;
  std::string file = "train.pickle";
  std::string moment = "at the end of recording";

  [[nodiscard]] std::string svg(const SvgOptions& options = {.scripts = false}) const {
    return flame_svg({file, snapshot, tree, devices, users, warnings, moment}, options);
  }
};

std::uint64_t total_of_state(const FrameTree& tree, BlockState state) {
  std::uint64_t bytes = 0;
  for (const TreeNode<Amount>& node : tree.nodes)
    if (node.key.is(state)) bytes += node.total.bytes;
  return bytes;
}

Drawing drawing_of(const std::vector<Leaf>& leaves) {
  auto built = tree_of(leaves);
  check_conserves_bytes(built.tree);
  Drawing drawing;
  drawing.snapshot.frames = std::move(built.frames);
  drawing.tree = std::move(built.tree);
  DeviceStats stats;
  stats.segments = 1;
  stats.blocks = drawing.tree.root().total.blocks;
  stats.reserved_bytes = drawing.tree.root().total.bytes;
  stats.allocated_bytes = total_of_state(drawing.tree, BlockState::active_allocated);
  stats.inactive_bytes = total_of_state(drawing.tree, BlockState::inactive);
  stats.requested_bytes = stats.end_requested_bytes = stats.baseline_bytes = stats.allocated_bytes;
  drawing.devices.push_back(stats);
  for (const TreeNode<Amount>& node : drawing.tree.nodes)
    if (node.key.kind == NodeKind::frame && node.first_child == kNoNode)
      drawing.users.push_back({node.key, node.total});
  std::sort(drawing.users.begin(), drawing.users.end(), [](const UserLine& left, const UserLine& right) {
    return std::pair(right.amount.bytes, left.key) < std::pair(left.amount.bytes, right.key);
  });
  return drawing;
}

/// visible_text() with sentences that take several lines in one piece.
std::string sentences(const std::string& svg) {
  std::string text = visible_text(parse_svg(svg));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

constexpr const char* kTorch = "/usr/lib/python3/dist-packages/torch/nn/";

Drawing training() {
  const std::string torch = kTorch;
  const std::string call =
      torch + "module.py:1553:_call_impl;" + torch + "module.py:1562:_call;" + torch + "linear.py:117:forward";
  return drawing_of({
      {"stream 0;active_allocated;/home/me/train.py:10:main;/home/me/model.py:41:forward;" + call, 20'447'232, 3},
      {"stream "
       "0;active_allocated;/home/me/"
       "train.py:12:main;??:0:torch::autograd::Engine::evaluate_function(Node*);??:0:torch::autograd::AccumulateGrad::"
       "apply(std::vector<at::Tensor>&&);??:0:c10::cuda::CUDACachingAllocator::malloc(void**, int)",
       9'000'000, 12},
      {"stream 0;active_allocated;<before recording>", 4'000'000, 40},
      {"stream 0;active_allocated;<gaps>", 100'000, 55},
      {"stream 0;inactive", 90'000'000, 5},
  });
}

} // namespace

TEST_CASE("flame_svg") {
  const Drawing drawing = training();
  const std::string svg = drawing.svg();
  check_svg(svg);
  const pugi::xml_document document = parse_svg(svg);
  const std::vector<SvgBox> boxes = boxes_of(document);

  SUBCASE("the root holds the reserved bytes exactly") {
    const pugi::xml_node root = document.select_node("//*[@id='root']").node();
    CHECK(root.attribute("data-bytes").as_ullong() == 123'547'232);
    CHECK(boxes.front().bytes == 123'547'232);
  }
  SUBCASE("a tooltip names the frame with its path, bytes, shares and blocks") {
    CHECK(box_titled(boxes, "forward\n/home/me/model.py").title ==
          "forward\n/home/me/model.py:41 (your code)\n19.5 MiB (20,447,232 bytes)\n16.6 % of all, 100 % of the box "
          "above\n3 blocks");
  }
  SUBCASE("a folded run lists its frames") {
    const SvgBox run = box_titled(boxes, "3 frames without a branch");
    CHECK(run.title.find("_call_impl module.py:1553\n_call module.py:1562\nforward linear.py:117") !=
          std::string::npos);
    CHECK(run.label.starts_with("⋯ 3 frames from _call_impl"));
  }
  SUBCASE("free memory is squeezed, and says how much it is") {
    const SvgBox free = box_titled(boxes, "inactive");
    CHECK(free.width < 0.21 * boxes.front().width);
    CHECK(free.bytes == 90'000'000);
    CHECK(free.label == "inactive 85.8 MiB squeezed");
  }
  SUBCASE("without scripts the text tells the story") {
    const std::string text = visible_text(document);
    for (const char* expected : {"118 MiB reserved on GPU 0, 27.2 % in use", "train.pickle", "your code", "no stack",
                                 "The largest user, forward linear.py:117, holds 19.5 MiB (61.0 % of what is in use).",
                                 "‹ forward model.py:41 ‹ main train.py:10", "Largest users, by your own line of code",
                                 "at the end of recording", "Open this file in a browser"})
      CHECK_MESSAGE(text.find(expected) != std::string::npos, expected);
    CHECK(svg.find("<script") == std::string::npos);
  }
  SUBCASE("the golden file") {
    check_golden(svg, "flame.svg");
  }
  SUBCASE("the same bytes every time") {
    CHECK(svg == training().svg());
  }
}

TEST_CASE("flame_svg upward has the root at the bottom") {
  const std::string svg = training().svg({.upward = true, .scripts = false});
  check_svg(svg);
  const std::vector<SvgBox> boxes = boxes_of(parse_svg(svg));
  const auto lowest = std::max_element(boxes.begin(), boxes.end(),
                                       [](const SvgBox& left, const SvgBox& right) { return left.y < right.y; });
  CHECK(lowest->row == 0);
}

TEST_CASE("flame_svg with scripts is one document without links") {
  const std::string svg = training().svg({});
  check_svg(svg);
  const pugi::xml_document document = parse_svg(svg);
  CHECK(document.select_node("//script").node().text().as_string() != std::string());
  CHECK(document.select_nodes("//*[@href or @src]").empty());
  CHECK(document.select_nodes("//*[@id='frames']/f").size() == 9);
  CHECK(svg.find("innerHTML") == std::string::npos);
}

TEST_CASE("flame_svg of an empty snapshot says so") {
  Drawing empty = drawing_of({});
  empty.devices.clear();
  const std::string svg = empty.svg();
  check_svg(svg);
  const std::string text = visible_text(parse_svg(svg));
  CHECK(text.find("No memory is reserved in this snapshot") != std::string::npos);
  CHECK(text.find("Nothing to draw") != std::string::npos);
}

TEST_CASE("flame_svg of one block") {
  const std::string svg = drawing_of({{"stream 0;active_allocated;train.py:1:main", 512}}).svg();
  check_svg(svg);
  CHECK(boxes_of(parse_svg(svg)).size() == 4);
}

TEST_CASE("flame_svg answers first") {
  Drawing drawing = training();
  SUBCASE("with what has no stack, where that is most of it") {
    drawing.users.insert(drawing.users.begin(), {NodeKey::of(Pseudo::before_recording), {40'000'000, 40}});
    drawing.devices[0].requested_bytes = 80'000'000;
    const std::string text = sentences(drawing.svg());
    CHECK(text.find("38.1 MiB (50.0 % of what is in use) has no stack: allocated before recording. The largest user "
                    "with one, forward linear.py:117, holds 19.5 MiB.") != std::string::npos);
  }
  SUBCASE("with nothing where nothing is in use") {
    drawing.users.clear();
    drawing.devices[0].requested_bytes = 0;
    CHECK(visible_text(parse_svg(drawing.svg())).find("largest user") == std::string::npos);
  }
  SUBCASE("with how many share it, where nobody stands out") {
    std::vector<Leaf> leaves;
    for (int i = 0; i < 100; ++i)
      leaves.push_back({"active_allocated;train.py:" + std::to_string(i + 1) + ":step", 1024});
    const std::string text = sentences(drawing_of(leaves).svg());
    CHECK(text.find("No line of code stands out: the largest of 100, step train.py:1, holds 1.00 KiB (1.0 % of what is "
                    "in use).") != std::string::npos);
  }
  SUBCASE("of a name of 200 letters it keeps the line") {
    Drawing long_name =
        drawing_of({{"active_allocated;/home/me/" + std::string(200, 'd') + ".py:41:" + std::string(200, 'f'), 1000}});
    const std::string svg = long_name.svg();
    check_svg(svg);
    const std::string text = sentences(svg);
    CHECK(text.find("dd.py:41, holds 1,000 B (100 % of what is in use).") != std::string::npos);
  }
}

TEST_CASE("flame_svg tells the moment, the time and what went wrong") {
  Drawing drawing = training();
  drawing.moment = "at the out-of-memory error, event 12 of 30";
  drawing.devices[0].ooms = 2;
  drawing.devices[0].first_time_us = 1'714'564'803'000'000;
  drawing.devices[0].last_time_us = 1'714'564'805'500'000;
  const std::string text = visible_text(parse_svg(drawing.svg()));
  for (const char* expected : {"ran out of memory 2 times", "at the out-of-memory error, event 12 of 30",
                               "recorded 2024-05-01 12:00:03 to 12:00:05 UTC (2.50 s)"})
    CHECK_MESSAGE(text.find(expected) != std::string::npos, expected);
}

TEST_CASE("at an out-of-memory error flame_svg leads with what was asked for") {
  Drawing drawing = training();
  drawing.devices[0].ooms = 1;
  drawing.devices[0].at.kind = MomentKind::oom;
  drawing.devices[0].at.asked_bytes = 3 << 20;
  std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("GPU 0 ran out of memory: 3.00 MiB asked for, ") != std::string::npos);
  CHECK(text.find(" of what it had reserved was in use. The largest user, ") != std::string::npos);
  CHECK(text.find("ran out of memory once") == std::string::npos);

  drawing.devices[0].ooms = 2;
  text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("ran out of memory 2 times") != std::string::npos);
}

TEST_CASE("flame_svg has a bar for each pool and stream where there are several") {
  Drawing drawing = training();
  for (const std::uint32_t stream : {0U, 0U, 5U, 6U, 7U, 8U, 9U}) {
    Segment segment;
    segment.stream = stream;
    segment.total_bytes = 1000 * (stream + 1);
    drawing.snapshot.segments.push_back(segment);
  }
  SUBCASE("without private pools only the stream is named") {
    CHECK(visible_text(parse_svg(drawing.svg())).find("\nstream 9\n9.77 KiB reserved") != std::string::npos);
    return;
  }
  drawing.snapshot.segments.back().pool = {0, 2};
  const std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("private pool (0, 2), stream 9\n9.77 KiB reserved") != std::string::npos);
  CHECK(text.find("default pool, stream 8\n8.79 KiB reserved") != std::string::npos);
  CHECK(text.find("2 more pools and streams\n7.81 KiB reserved") != std::string::npos);
}

TEST_CASE("flame_svg explains only the colours that it shows") {
  const std::string text = visible_text(parse_svg(drawing_of({{"active_allocated;train.py:1:f", 512}}).svg()));
  CHECK(text.find("your code") != std::string::npos);
  CHECK(text.find("rounding (gaps)") == std::string::npos);
  CHECK(text.find("covered by no block") == std::string::npos);
  const std::string damaged =
      visible_text(parse_svg(drawing_of({{"active_allocated;train.py:1:f", 512}, {"<unaccounted>", 512}}).svg()));
  CHECK(damaged.find("covered by no block") != std::string::npos);
}

TEST_CASE("flame_svg of several devices has a bar for each") {
  Drawing drawing =
      drawing_of({{"GPU 0;stream 0;active_allocated;train.py:1:main", 512}, {"GPU 3;stream 0;inactive", 4096}});
  drawing.devices[0].reserved_bytes = 512;
  drawing.devices[0].inactive_bytes = 0;
  drawing.devices.push_back({.device = 3, .segments = 1, .blocks = 1, .reserved_bytes = 4096, .inactive_bytes = 4096});
  const std::string svg = drawing.svg();
  check_svg(svg);
  const std::string text = visible_text(parse_svg(svg));
  CHECK(text.find("4.50 KiB reserved on 2 GPUs") != std::string::npos);
  CHECK(text.find("\nGPU 3\n") != std::string::npos);
  CHECK(text.find("4.00 KiB reserved, 0 % in use") != std::string::npos);
}

TEST_CASE("flame_svg says that a sum over devices may mix moments") {
  Drawing drawing = training();
  drawing.devices.push_back({.device = 1});
  CHECK(visible_text(parse_svg(drawing.svg())).find("on 2 GPUs, 27.2 % in use") != std::string::npos);
  drawing.devices[0].at.kind = MomentKind::oom;
  CHECK(visible_text(parse_svg(drawing.svg())).find("on 2 GPUs at different moments, 27.2 % in use") !=
        std::string::npos);
}

TEST_CASE("flame_svg of a stack 300 frames deep") {
  std::string path = "active_allocated";
  for (int i = 0; i < 300; ++i)
    path += ";train.py:" + std::to_string(i + 1) + ":recurse";
  const Drawing drawing = drawing_of({{path, 4096}});
  SUBCASE("is low, because runs fold") {
    const std::string svg = drawing.svg();
    check_svg(svg);
    CHECK(boxes_of(parse_svg(svg)).size() == 4);
  }
  SUBCASE("is whole where asked for") {
    const std::string svg = drawing.svg({.scripts = false, .fold = false});
    check_svg(svg);
    CHECK(boxes_of(parse_svg(svg)).size() == 302);
  }
}

TEST_CASE("flame_svg of 20,000 leaves keeps to its budget and loses no byte") {
  std::vector<Leaf> leaves;
  std::uint64_t bytes = 0;
  for (int i = 0; i < 20'000; ++i) {
    leaves.push_back(
        {"active_allocated;train.py:" + std::to_string(i % 150) + ":step;model.py:" + std::to_string(i) + ":layer",
         1000 + static_cast<std::uint64_t>(i) % 7});
    bytes += leaves.back().bytes;
  }
  const Drawing drawing = drawing_of(leaves);
  for (const std::size_t budget : {std::size_t{2'000'000}, std::size_t{200'000}, std::size_t{60'000}}) {
    const std::string svg = drawing.svg({.max_bytes = budget});
    CHECK(svg.size() <= budget);
    check_svg(svg);
    const std::vector<SvgBox> boxes = boxes_of(parse_svg(svg));
    CHECK(boxes.front().bytes == bytes);
    std::uint64_t leaf_bytes = 0; // of boxes with no box below: here all others have no bytes of their own
    for (const SvgBox& box : boxes) {
      const bool has_child = std::any_of(boxes.begin(), boxes.end(), [&](const SvgBox& other) {
        return other.row == box.row + 1 && other.x_units >= box.x_units &&
               other.x_units < box.x_units + box.width_units;
      });
      if (!has_child) leaf_bytes += box.bytes;
    }
    CHECK(leaf_bytes == bytes);
  }
}

TEST_CASE("flame_svg of hostile names") {
  const std::string long_name(100'000, 'W');
  Drawing drawing = drawing_of({
      {"active_allocated;train.py:1:]]></script><script>alert(1)</script>", 1000},
      {"active_allocated;train.py:2:\"quoted\" & 'apostrophe' <b>", 1000},
      {"active_allocated;train.py:3:\x1b[31mred\x07\x01", 1000},
      {"active_allocated;train.py:4:\xe2\x80\xae"
       "מודל_אימון",
       1000},
      {"active_allocated;train.py:5:﷽﷽﷽﷽﷽﷽﷽﷽﷽﷽﷽", 1000},
      {"active_allocated;train.py:6:" + long_name, 1000},
      {"active_allocated;train.py:7:line\nbreak\ttab", 1000},
      {"active_allocated;模型/训练.py:8:前向传播前向传播前向传播前向传播", 1000},
      {"active_allocated;train.py:9:", 1000},
  });
  drawing.file = "]]>&<\x02\xff.pickle";
  drawing.warnings = {"a <warning> with \x03 and " + long_name.substr(0, 3000)};
  for (const bool scripts : {false, true}) {
    const std::string svg = drawing.svg({.scripts = scripts});
    check_svg(svg);
    const pugi::xml_document document = parse_svg(svg);
    CHECK(document.select_nodes("//script").size() == (scripts ? 1 : 0));
    CHECK(document.select_nodes("//b").empty());
    CHECK(svg.size() < 400'000);
  }
}

TEST_CASE("flame_svg shows warnings, and by how much accounts do not balance") {
  Drawing drawing = training();
  drawing.warnings = {"the accounts of GPU 0 do not balance", "two segments are not covered by their blocks"};
  drawing.devices[0].events = 10;
  drawing.devices[0].imbalance_bytes = -4096;
  const std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find(drawing.warnings[0]) != std::string::npos);
  CHECK(text.find(drawing.warnings[1]) != std::string::npos);
  CHECK(text.find("Accounts do not balance") != std::string::npos);
  CHECK(text.find("−4.00 KiB") != std::string::npos);
}

TEST_CASE("flame_svg does not let the errors of two devices cancel") {
  Drawing drawing = training();
  drawing.devices.push_back(drawing.devices[0]);
  for (DeviceStats& stats : drawing.devices)
    stats.events = 10;
  drawing.devices[0].imbalance_bytes = 512;
  drawing.devices[1].imbalance_bytes = -512;
  drawing.devices[1].device = 1;
  const std::string text = visible_text(parse_svg(drawing.svg()));
  CHECK(text.find("GPU 0: Accounts do not balance") != std::string::npos);
  CHECK(text.find("GPU 1: Accounts do not balance") != std::string::npos);
  CHECK(text.find("Accounts balance") == std::string::npos);
}

TEST_CASE("flame_svg says when the peak was far above what it draws") {
  Drawing drawing = training();
  drawing.devices[0].events = 3;
  drawing.devices[0].peak_requested_bytes = 10 * drawing.devices[0].requested_bytes;
  CHECK(visible_text(parse_svg(drawing.svg())).find("10× what is drawn here") != std::string::npos);
}
