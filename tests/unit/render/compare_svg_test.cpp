#include "support/svg_check.hpp"
#include "support/tree_builder.hpp"

#include "memviz/svg.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace memviz;
using namespace memviz::test;

namespace {

Comparison comparison_of(const std::vector<DiffLeaf>& leaves) {
  auto built = diff_tree_of(leaves);
  check_conserves_bytes(built.tree);
  Comparison comparison;
  comparison.frames = std::move(built.frames);
  comparison.tree = std::move(built.tree);
  const Change& root = comparison.tree.root().total;
  comparison.before.reserved_bytes = comparison.before.allocated_bytes = comparison.before.requested_bytes =
      root.before.bytes;
  comparison.after.reserved_bytes = comparison.after.allocated_bytes = comparison.after.requested_bytes =
      root.after.bytes;
  for (const TreeNode<Change>& node : comparison.tree.nodes)
    if (is_frame(node.key) && node.total.delta_bytes() != 0) comparison.changes.push_back({node.key, node.total});
  std::stable_sort(comparison.changes.begin(), comparison.changes.end(),
                   [](const UserLineChange& left, const UserLineChange& right) {
                     return std::abs(left.change.delta_bytes()) > std::abs(right.change.delta_bytes());
                   });
  return comparison;
}

Comparison pull_request() {
  Comparison comparison = comparison_of({
      {"active_allocated;model.py:1:kept", 1'000'000, 1'000'000},
      {"active_allocated;model.py:2:grown", 1'000'000, 3'000'000},
      {"active_allocated;model.py:3:shrunk", 3'000'000, 1'000'000},
      {"active_allocated;model.py:4:added", 0, 5'000'000},
      {"active_allocated;model.py:5:removed", 4'000'000, 0},
  });
  comparison.only_before = {{0x7f0000000000, 2'097'152, {0}, 0}};
  comparison.only_after = {{0x7f0000200000, 4'194'304, {0}, 0}};
  comparison.in_both = {{0x7f0000800000, 20'971'520, {0}, 0}};
  return comparison;
}

std::string draw(const Comparison& comparison, const SvgOptions& options = {.scripts = false}) {
  return compare_svg({"base.pickle", "pr.pickle", comparison, {}}, options);
}

} // namespace

TEST_CASE("compare_svg") {
  const Comparison comparison = pull_request();
  const std::string svg = draw(comparison);
  check_svg(svg);
  const pugi::xml_document document = parse_svg(svg);
  const std::vector<SvgBox> boxes = boxes_of(document);
  const std::string text = visible_text(document);

  SUBCASE("each kind of change has its own class, and its sign in the text") {
    CHECK(box_titled(boxes, "kept").css_class == "same");
    CHECK(box_titled(boxes, "grown").css_class == "grown");
    CHECK(box_titled(boxes, "shrunk").css_class == "shrunk");
    CHECK(box_titled(boxes, "added").css_class == "added");
    CHECK(box_titled(boxes, "removed").css_class == "removed");
    CHECK(box_titled(boxes, "grown").label.find("+1.91 MiB") != std::string::npos);
    CHECK(box_titled(boxes, "removed").label.find("−3.81 MiB") != std::string::npos);
  }
  SUBCASE("what vanished keeps its width, and parents have the inclusive change") {
    CHECK(box_titled(boxes, "removed").width_units == 4'000'000);
    const SvgBox state = box_titled(boxes, "in use (active_allocated)");
    CHECK(state.title.find("before: 8.58 MiB (9,000,000 bytes)") != std::string::npos);
    CHECK(state.title.find("after: 9.54 MiB (10,000,000 bytes)") != std::string::npos);
    CHECK(state.title.find("change: +977 KiB") != std::string::npos);
  }
  SUBCASE("the header has both files, and before, after and net") {
    for (const char* expected :
         {"base.pickle", "pr.pickle", "+977 KiB requested", "8.58 MiB → 9.54 MiB", "Grown most", "Shrunk most"})
      CHECK_MESSAGE(text.find(expected) != std::string::npos, expected);
  }
  SUBCASE("segments are listed by address and size, all of them in the metadata") {
    CHECK(text.find("0x7f0000000000") != std::string::npos);
    CHECK(text.find("Only after: 1 segment, 4.00 MiB") != std::string::npos);
    CHECK(text.find("1 segment in both files") != std::string::npos);
    const auto lists = nlohmann::json::parse(document.select_node("//*[@id='segments']").node().child_value());
    CHECK(lists.at("only_before").at(0).at("address") == "0x7f0000000000");
    CHECK(lists.at("only_after").at(0).at("bytes") == 4'194'304);
  }
  SUBCASE("the golden file") {
    check_golden(svg, "compare.svg");
  }
  SUBCASE("the same bytes every time") {
    CHECK(svg == draw(pull_request()));
  }
}

TEST_CASE("compare_svg of a snapshot with itself") {
  Comparison comparison =
      comparison_of({{"active_allocated;model.py:1:kept", 1'000'000, 1'000'000}, {"inactive", 5'000, 5'000}});
  comparison.in_both = {{0x7f0000800000, 1'005'000, {0}, 0}};
  const std::string svg = draw(comparison);
  check_svg(svg);
  for (const SvgBox& box : boxes_of(parse_svg(svg)))
    CHECK(box.css_class == "same");
  const std::string text = visible_text(parse_svg(svg));
  CHECK(text.find("No difference") != std::string::npos);
  CHECK(text.find("Both files have the same segments.") != std::string::npos);
}

TEST_CASE("compare_svg distinguishes no change from as many bytes of other stacks") {
  const std::string svg =
      draw(comparison_of({{"active_allocated;old.py:1:step", 4096, 0}, {"active_allocated;new.py:1:step", 0, 4096}}));
  check_svg(svg);
  const SvgBox root = boxes_of(parse_svg(svg)).front();
  CHECK(root.css_class == "same");
  CHECK(root.label == "reserved  ±0 B");
  CHECK(root.title.find("change: 0 B net, but not the same stacks") != std::string::npos);
  CHECK(visible_text(parse_svg(svg)).find("No difference") == std::string::npos);
}

TEST_CASE("compare_svg says what else changed where as much is requested as before") {
  Comparison comparison =
      comparison_of({{"active_allocated;model.py:1:kept", 1'000'000, 1'000'000}, {"inactive", 0, 1024}});
  comparison.after.requested_bytes = comparison.after.allocated_bytes = 1'000'000;
  CHECK(visible_text(parse_svg(draw(comparison))).starts_with("977 KiB requested, as before; +1.00 KiB reserved"));
  SUBCASE("or who holds it") {
    const Comparison moved =
        comparison_of({{"active_allocated;a.py:1:f", 4096, 0}, {"active_allocated;b.py:1:g", 0, 4096}});
    CHECK(visible_text(parse_svg(draw(moved))).starts_with("4.00 KiB requested, as before, but by other stacks"));
  }
  SUBCASE("or that one file alone shows of which kind it is") {
    comparison.kinds = {{MemoryKind::input, 0, 900'000}, {MemoryKind::unknown, 1'000'000, 100'000}};
    CHECK(visible_text(parse_svg(draw(comparison)))
              .find("879 KiB is classified only after, though the same lines hold as much before: inputs +879 KiB, "
                    "unknown memory −879 KiB") != std::string::npos);
    comparison.changes.resize(1);
    comparison.changes.front().change = {{}, {950'000, 1}, 950'000};
    CHECK(visible_text(parse_svg(draw(comparison))).find("By kind: inputs +879 KiB") != std::string::npos);
  }
}

TEST_CASE("compare_svg shows when other lines of the same functions hide what stayed") {
  Comparison comparison = pull_request();
  comparison.moved_lines_bytes = 4'000'000;
  const std::string hint = "3.81 MiB is on both sides at other lines of the same functions";
  CHECK(visible_text(parse_svg(draw(comparison))).find(hint) != std::string::npos);
  SUBCASE("but not of little") {
    comparison.moved_lines_bytes = 900'000;
    CHECK(visible_text(parse_svg(draw(comparison))).find("--match function") == std::string::npos);
  }
  SUBCASE("and when it compared functions for that") {
    comparison.match = FrameMatch::function;
    comparison.is_match_chosen = true;
    const std::string text = visible_text(parse_svg(draw(comparison)));
    CHECK(text.find("Most lines only moved (3.81 MiB") != std::string::npos);
    CHECK(text.find("Grown most, by your own function") != std::string::npos);
  }
}

TEST_CASE("compare_svg gives peak, end and reserved of each device") {
  Comparison comparison = pull_request();
  const auto reading = [](std::uint64_t before_mib, std::uint64_t after_mib) {
    return Reading{before_mib << 20U, after_mib << 20U};
  };
  comparison.readings = {{{0}, DeviceKind::cuda, {reading(100, 250), reading(10, 10), reading(300, 200)}}};
  comparison.devices.resize(1);
  comparison.devices[0].after.figures.segments = 1;
  std::string text = visible_text(parse_svg(draw(comparison)));
  for (const char* expected : {"Requested at the peak", "+150 MiB", "100 MiB → 250 MiB (+150", "Requested at the end",
                               "Reserved at the end", "−100 MiB", "The picture shows what both held at the end."})
    CHECK_MESSAGE(text.find(expected) != std::string::npos, expected);
  SUBCASE("and does not add up devices that are at their own moments") {
    comparison.readings.push_back({{1}, DeviceKind::cuda, {reading(400, 900), reading(1, 2), {std::nullopt, 5}}});
    comparison.devices.resize(2);
    comparison.is_one_moment = false;
    comparison.changes.front().device = DeviceId{1};
    const std::string svg = draw(comparison);
    check_svg(svg);
    text = visible_text(parse_svg(svg));
    CHECK(text.starts_with("+500 MiB at the peak on GPU 1: 400 MiB before, 900 MiB after"));
    CHECK(text.find("GPU 1: Requested at the peak") != std::string::npos);
    CHECK(text.find("unknown → 5 B") != std::string::npos);
    CHECK(text.find("GPU 1: added") != std::string::npos);
    CHECK(boxes_of(parse_svg(svg)).front().label == "all devices, each at its own moment");
    CHECK(text.find("\nIn use\n") == std::string::npos); // the sum
    CHECK(text.find("The picture shows each device at its own moment, so their sum means nothing.") !=
          std::string::npos);
  }
}

TEST_CASE("compare_svg distinguishes lines of files that have one name") {
  const Comparison comparison = comparison_of({{"active_allocated;/app/first/model.py:4:forward", 0, 5'000'000},
                                               {"active_allocated;/app/second/model.py:4:forward", 0, 4'000'000}});
  const std::string text = visible_text(parse_svg(draw(comparison)));
  CHECK(text.find("first/model.py:4") != std::string::npos);
  CHECK(text.find("second/model.py:4") != std::string::npos);
}

TEST_CASE("compare_svg distinguishes a segment that changed its size from one of another process") {
  Comparison comparison = pull_request();
  comparison.only_after.push_back({0x7f0000000000, 6'291'456, {0}, 0});
  CHECK(visible_text(parse_svg(draw(comparison)))
            .find("1 segment in both files; 1 more at the same address, but of another size.") != std::string::npos);
}

TEST_CASE("compare_svg lists no addresses of two processes") {
  Comparison comparison = pull_request();
  comparison.in_both.clear();
  const std::string svg = draw(comparison);
  const std::string text = visible_text(parse_svg(svg));
  CHECK(text.find("whose addresses cannot match") != std::string::npos);
  CHECK(text.find("0x7f0000000000") == std::string::npos);
  CHECK(svg.find("0x7f0000000000") != std::string::npos); // in the metadata
  SUBCASE("and says so where one process may have changed the size of a segment") {
    comparison.only_after[0].address = comparison.only_before[0].address;
    CHECK(visible_text(parse_svg(draw(comparison))).find("1 is at the same address") != std::string::npos);
  }
}

TEST_CASE("compare_svg does not say that two processes share segments") {
  Comparison comparison = pull_request();
  comparison.is_in_both_by_chance = true;
  const std::string text = visible_text(parse_svg(draw(comparison)));
  CHECK(text.find("by chance, but different times, stacks or blocks, so they are from two processes") !=
        std::string::npos);
  CHECK(text.find("in both files, by address and size") == std::string::npos);
}

TEST_CASE("compare_svg lists the first dozen of many segments and keeps all in the metadata") {
  Comparison comparison = pull_request();
  comparison.only_before.clear();
  for (std::uint64_t i = 0; i < 3000; ++i)
    comparison.only_before.push_back({0x7f0000000000 + i * 0x200000, 1'048'576, {0}, 0});
  const std::string svg = draw(comparison);
  check_svg(svg);
  const pugi::xml_document document = parse_svg(svg);
  CHECK(visible_text(document).find("and 2,988 more, 2.92 GiB") != std::string::npos);
  const auto lists = nlohmann::json::parse(document.select_node("//*[@id='segments']").node().child_value());
  CHECK(lists.at("only_before").size() == 3000);
}

TEST_CASE("compare_svg of two empty snapshots") {
  const std::string svg = draw(comparison_of({}));
  check_svg(svg);
  CHECK(visible_text(parse_svg(svg)).find("Nothing to draw") != std::string::npos);
}

TEST_CASE("compare_svg with a file that has no memory: all of it is new") {
  const std::string svg = draw(comparison_of({{"active_allocated;model.py:4:added", 0, 5'000'000}}));
  check_svg(svg);
  CHECK(boxes_of(parse_svg(svg)).front().css_class == "added");
}
