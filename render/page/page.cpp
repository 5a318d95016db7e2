#include "page/page.hpp"

#include "page/palette.hpp"
#include "web/embedded.hpp"

#include <fmt/format.h>

namespace memviz::render {

XmlElement add_text(XmlElement parent, double x, double y, std::string_view css_class, std::string_view text) {
  return parent.child("text").set("class", css_class).set("x", x).set("y", y).text(text);
}

XmlElement add_rect(XmlElement parent, double x, double y, double width, double height) {
  return parent.child("rect").set("x", x).set("y", y).set("width", width).set("height", height);
}

XmlElement add_group(XmlElement parent, std::string_view css_class) {
  return parent.child("g").set("class", css_class);
}

void add_rule(XmlElement parent, double y) {
  XmlElement rule = parent.child("path").set("class", "rule").set("data-flow", "rule").set("data-y", y);
  rule.set("d", fmt::format("M{} {}h{}", px(kMargin), px(y), px(kContentWidth)));
}

Page::Page(const SvgOptions& options, std::string_view summary)
    : document_("svg"), below_(document_.root()), background_(document_.root()), has_script_(options.scripts),
      script_(kPageScript) {
  XmlElement svg = document_.root();
  svg.set("xmlns", "http://www.w3.org/2000/svg").set("role", "graphics-document").set("aria-label", summary);
  svg.child("style").cdata(std::string(kPageStyle) + palette_css());
  svg.child("title").text(summary);
  XmlElement pattern = svg.child("defs").child("pattern").set("id", kUnknownPattern);
  pattern.set("width", 7).set("height", 7).set("patternUnits", "userSpaceOnUse").set("patternTransform", "rotate(45)");
  add_rect(pattern, 0, 0, 7, 7);
  pattern.child("path").set("d", "M1 0v7");
  background_ = svg.child("rect").set("id", "page");
}

void Page::begin_below_graph() {
  below_ = document_.root().child("g").set("id", "below");
}

XmlElement Page::add_section(double y, std::string_view flow) {
  XmlElement section = below_.child("g").set("data-flow", flow).set("data-y", y);
  if (are_details_) section.set("data-detail", "1");
  sections_.push_back(section);
  return section;
}

void Page::leave_sections_to_wide_pictures() {
  for (XmlElement& section : sections_)
    section.set("class", "wide");
}

std::string Page::finish(double height) {
  XmlElement svg = document_.root();
  svg.set("width", kPageWidth)
      .set("height", height)
      .set("viewBox", fmt::format("0 0 {} {}", px(kPageWidth), px(height)));
  background_.set("width", kPageWidth).set("height", height);
  if (has_script_) svg.child("script").cdata(script_);
  return document_.serialize();
}

} // namespace memviz::render
