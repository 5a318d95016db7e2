#include "support/picture_words.hpp"

#include "support/svg_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <pugixml.hpp>
#include <string_view>

namespace memviz::test {
namespace {

std::string_view name_of(const pugi::xml_node& node) {
  return node.name();
}

std::string_view class_of(const pugi::xml_node& node) {
  return node.attribute("class").value();
}

/// Returns "headline", "figure-name", ... for a text; else the class of its container.
std::string kind_of_text(const pugi::xml_node& text) {
  static constexpr std::array<std::string_view, 5> kKinds{"headline", "answer", "section", "figure-name", "figure"};
  const std::string_view first = class_of(text).substr(0, class_of(text).find(' '));
  if (std::find(kKinds.begin(), kKinds.end(), first) != kKinds.end()) return std::string(first);
  if (class_of(text.parent()) == "row") return "row";
  return text.parent().child("rect") ? "label" : "text";
}

/// Collects parts on a walk over the document.
class PartWalker final : public pugi::xml_tree_walker {
public:
  std::vector<PicturePart> parts;

  bool for_each(pugi::xml_node& node) override {
    const pugi::xml_node parent = node.parent();
    if (name_of(parent) == "pattern") return true;
    if (name_of(node) == "text") {
      add_text(node);
    } else if (name_of(node) == "rect") {
      const std::string_view title = parent.child_value("title");
      const bool is_page = name_of(parent) == "svg";
      parts.push_back({"box",
                       std::string(is_page         ? "the page"
                                   : title.empty() ? class_of(parent)
                                                   : title),
                       node.attribute("width").as_double()});
    } else if (name_of(node) == "title" && (name_of(parent) == "svg" || !parent.child("rect"))) {
      const bool is_shape = name_of(parent) == "path";
      parts.push_back({is_shape ? "box" : "title", node.child_value(), 0});
    }
    return true;
  }

private:
  void add_text(const pugi::xml_node& text) {
    if (goes_on(text))
      parts.back().text.append(" ").append(text.child_value());
    else
      parts.push_back({kind_of_text(text), text.child_value(), 0});
  }
};

bool is_same(const PicturePart& one, const PicturePart& other) {
  constexpr double kTolerance = 0.5;
  return one.kind == other.kind && one.text == other.text && std::abs(one.width - other.width) <= kTolerance;
}

std::string shown(const PicturePart& part) {
  const std::string width = part.width > 0 ? fmt::format(", {:.1f} px wide", part.width) : "";
  return fmt::format("'{}'{}", part.text, width);
}

} // namespace

std::vector<PicturePart> parts_of(const std::string& svg) {
  pugi::xml_document document = parse_svg(without_version(svg));
  PartWalker walker;
  walker.parts.push_back({"title", document.document_element().attribute("aria-label").value(), 0});
  document.traverse(walker);
  return std::move(walker.parts);
}

std::vector<std::string> differences(const std::string& before, const std::string& after) {
  std::vector<PicturePart> was = parts_of(before);
  std::vector<PicturePart> is = parts_of(after);
  const auto head = std::mismatch(was.begin(), was.end(), is.begin(), is.end(), is_same);
  was.erase(was.begin(), head.first);
  is.erase(is.begin(), head.second);
  const auto tail = std::mismatch(was.rbegin(), was.rend(), is.rbegin(), is.rend(), is_same);
  was.erase(tail.first.base(), was.end());
  is.erase(tail.second.base(), is.end());

  // The lines in between: if there are equally many, each has changed; else some were added or removed.
  std::vector<std::string> lines;
  for (std::size_t i = 0; was.size() == is.size() && i < was.size(); ++i)
    if (!is_same(was[i], is[i]))
      lines.push_back(fmt::format("{} was {}, is {}", was[i].kind, shown(was[i]), shown(is[i])));
  if (was.size() == is.size()) return lines;
  for (const PicturePart& part : was)
    lines.push_back(fmt::format("{} {} was there", part.kind, shown(part)));
  for (const PicturePart& part : is)
    lines.push_back(fmt::format("{} {} is there", part.kind, shown(part)));
  return lines;
}

} // namespace memviz::test
