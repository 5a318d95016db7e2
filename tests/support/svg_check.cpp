#include "support/svg_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace memviz::test {
namespace {

/// A hundredth of a pixel on either side is lost in writing.
constexpr double kRounding = 0.011;
/// Advance of DejaVu Sans Mono, the widest common monospace font, at 12 px.
constexpr double kLetterWidth = 0.602 * 12;

std::size_t count_letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

void check_characters(const std::string& svg) {
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    CHECK((byte >= 0x20 || byte == '\n' || byte == '\t'));
  }
  CHECK(svg.find("\xed\xa0") == std::string::npos);     // a surrogate
  CHECK(svg.find("\xef\xbf\xbe") == std::string::npos); // U+FFFE
}

void check_ids(const pugi::xml_document& document) {
  std::set<std::string> ids;
  for (const pugi::xpath_node& node : document.select_nodes("//*[@id]"))
    CHECK_MESSAGE(ids.insert(node.node().attribute("id").value()).second,
                  "id twice: ", node.node().attribute("id").value());
}

void check_row(std::vector<SvgBox> row) {
  std::sort(row.begin(), row.end(),
            [](const SvgBox& left, const SvgBox& right) { return left.x_units < right.x_units; });
  for (std::size_t i = 1; i < row.size(); ++i) {
    CHECK(row[i - 1].x_units + row[i - 1].width_units <= row[i].x_units);
    CHECK(row[i - 1].x + row[i - 1].width <= row[i].x + kRounding);
    CHECK(row[i - 1].y == row[i].y);
  }
}

const SvgBox* parent_of(const SvgBox& box, const std::vector<SvgBox>& above) {
  for (const SvgBox& candidate : above) {
    const bool spans =
        candidate.x_units <= box.x_units && box.x_units + box.width_units <= candidate.x_units + candidate.width_units;
    if (spans) return &candidate;
  }
  return nullptr;
}

void check_parents(const std::map<std::uint64_t, std::vector<SvgBox>>& rows) {
  std::map<const SvgBox*, std::uint64_t> bytes_below;
  for (const auto& [row, boxes] : rows) {
    if (row == 0) {
      CHECK(boxes.size() == 1);
      continue;
    }
    for (const SvgBox& box : boxes) {
      const SvgBox* parent = parent_of(box, rows.at(row - 1));
      REQUIRE_MESSAGE(parent != nullptr, "no box above ", box.title);
      bytes_below[parent] += box.bytes;
    }
  }
  for (const auto& below : bytes_below)
    CHECK_MESSAGE(below.second <= below.first->bytes, "more below than in ", below.first->title);
}

std::string pretty(const std::string& svg) {
  pugi::xml_document document;
  REQUIRE(document.load_string(svg.c_str(), pugi::parse_full));
  std::ostringstream out;
  document.save(out, " ");
  return out.str();
}

} // namespace

pugi::xml_document parse_svg(const std::string& svg) {
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_string(svg.c_str(), pugi::parse_default | pugi::parse_ws_pcdata_single);
  REQUIRE_MESSAGE(result, result.description());
  return document;
}

std::vector<SvgBox> boxes_of(const pugi::xml_document& document) {
  std::vector<SvgBox> boxes;
  for (const pugi::xpath_node& found : document.select_nodes("//*[@id='graph']/g")) {
    const pugi::xml_node group = found.node();
    const pugi::xml_node rect = group.child("rect");
    boxes.push_back({group.attribute("class").value(), group.child_value("title"), group.child_value("text"),
                     group.attribute("data-row").as_ullong(), group.attribute("data-x").as_ullong(),
                     group.attribute("data-width").as_ullong(), group.attribute("data-bytes").as_ullong(),
                     group.attribute("data-blocks").as_ullong(), rect.attribute("x").as_double(),
                     rect.attribute("y").as_double(), rect.attribute("width").as_double()});
  }
  return boxes;
}

SvgBox box_titled(const std::vector<SvgBox>& boxes, std::string_view beginning) {
  const auto found =
      std::find_if(boxes.begin(), boxes.end(), [&](const SvgBox& box) { return box.title.starts_with(beginning); });
  REQUIRE_MESSAGE(found != boxes.end(), "no box titled ", std::string(beginning));
  return *found;
}

bool goes_on(const pugi::xml_node& text) {
  const pugi::xml_node before = text.previous_sibling();
  return std::string_view(text.parent().attribute("data-flow").value()) == "words" &&
         std::string_view(before.name()) == "text" &&
         text.attribute("x").as_double() == before.attribute("x").as_double();
}

std::string visible_text(const pugi::xml_document& document) {
  std::string text;
  for (const pugi::xpath_node& found : document.select_nodes("//text")) {
    const pugi::xml_node node = found.node();
    if (goes_on(node)) text.back() = ' ';
    text.append(node.child_value()).append("\n");
  }
  return text;
}

void check_svg(const std::string& svg) {
  check_characters(svg);
  const pugi::xml_document document = parse_svg(svg);
  check_ids(document);
  const double page_width = document.document_element().attribute("width").as_double();
  const double graph_x = 24;
  std::map<std::uint64_t, std::vector<SvgBox>> rows;
  for (const SvgBox& box : boxes_of(document)) {
    rows[box.row].push_back(box);
    CHECK(box.x >= 0);
    CHECK(graph_x + box.x + box.width <= page_width - graph_x + kRounding);
    CHECK_MESSAGE(static_cast<double>(count_letters(box.label)) * kLetterWidth <= box.width,
                  "label leaves its box: ", box.label);
  }
  for (const auto& [row, boxes] : rows)
    check_row(boxes);
  check_parents(rows);
}

std::string without_version(std::string svg) {
  constexpr std::string_view kSignature = "drawn by memviz ";
  for (std::size_t at = svg.find(kSignature); at != std::string::npos; at = svg.find(kSignature, at)) {
    at += kSignature.size();
    svg.replace(at, svg.find_first_not_of("0123456789.", at) - at, "VERSION");
  }
  return svg;
}

void check_golden(const std::string& svg, const std::string& name) {
  const std::string path = std::string(MEMVIZ_SOURCE_DIR) + "/tests/golden/" + name;
  const std::string drawn = pretty(without_version(svg));
  if (std::getenv("MEMVIZ_BLESS") != nullptr) std::ofstream(path) << drawn;
  std::ifstream file(path);
  REQUIRE_MESSAGE(file, "cannot read ", path, "; MEMVIZ_BLESS=1 writes it");
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  const bool is_equal = drawn == kept; // not in the check itself, which would print both
  CHECK_MESSAGE(is_equal, name, " differs from the golden file; look at it, then MEMVIZ_BLESS=1 rewrites it");
}

} // namespace memviz::test
