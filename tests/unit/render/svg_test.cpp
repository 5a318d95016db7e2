#include "memviz/svg.hpp"

#include "memviz/version.hpp"
#include "support/drawing.hpp"
#include "support/svg_check.hpp"

#include <algorithm>
#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

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
    const SvgBox free = box_titled(boxes, "free (inactive)");
    CHECK(free.width < 0.21 * boxes.front().width);
    CHECK(free.bytes == 90'000'000);
    CHECK(free.label.starts_with("free 85.8 MiB"));
    CHECK(document.select_node("//g[@class='free']/path[@class='torn']"));
  }
  SUBCASE("it says which version drew it, and that scripts need a browser only where there is one") {
    CHECK(visible_text(document).find("drawn by memviz " + std::string(version())) != std::string::npos);
    const pugi::xml_document scripted = parse_svg(drawing.svg({.scripts = true}));
    const pugi::xml_node hint = scripted.select_node("//text[contains(., 'Open this file in a browser')]").node();
    CHECK(std::string_view(hint.attribute("class").value()).find("browser-only") != std::string_view::npos);
    const std::string style = scripted.select_node("//style").node().child_value();
    CHECK(style.find(".browser-only,.script-only{display:none}") < style.find("@media screen{"));
  }
  SUBCASE("no text of it is below 12 pixels") {
    const std::string style = document.select_node("//style").node().child_value();
    for (std::size_t at = style.find("font-size:"); at != std::string::npos; at = style.find("font-size:", at + 1))
      CHECK(std::stoi(style.substr(at + 10)) >= 12);
    CHECK(document.document_element().attribute("width").as_double() <= 12.0 / 11 * 830);
  }
  SUBCASE("without scripts the text shows the story") {
    const std::string text = visible_text(document);
    for (const char* expected :
         {"118 MiB reserved on GPU 0, 27.2 % in use", "train.pickle", "your code", "no stack",
          "The largest user, forward linear.py:117 (torch's own), holds 19.5 MiB (61.0 % of requested memory).",
          "‹ forward model.py:41 ‹ main train.py:10", "Largest users, by your own line of code",
          "at the end of recording"})
      CHECK_MESSAGE(text.find(expected) != std::string::npos, expected);
    CHECK(svg.find("<script") == std::string::npos);
    CHECK(text.find("browser") == std::string::npos);
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

TEST_CASE("flame_svg explains only the colours that it shows") {
  const std::string text = visible_text(parse_svg(drawing_of({{"active_allocated;train.py:1:f", 512}}).svg()));
  CHECK(text.find("your code") != std::string::npos);
  CHECK(text.find("rounding") == std::string::npos);
  CHECK(text.find("covered by no block") == std::string::npos);
  const std::string damaged =
      visible_text(parse_svg(drawing_of({{"active_allocated;train.py:1:f", 512}, {"<unaccounted>", 512}}).svg()));
  CHECK(damaged.find("covered by no block") != std::string::npos);
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
  for (const std::size_t budget : {std::size_t{2'000'000}, std::size_t{200'000}, std::size_t{101'000}}) {
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
  drawing.recording->warnings = {"a <warning> with \x03 and " + long_name.substr(0, 3000)};
  for (const bool scripts : {false, true}) {
    const std::string svg = drawing.svg({.scripts = scripts});
    check_svg(svg);
    const pugi::xml_document document = parse_svg(svg);
    CHECK(document.select_nodes("//script").size() == (scripts ? 1 : 0));
    CHECK(document.select_nodes("//b").empty());
    CHECK(svg.size() < 400'000);
  }
}
