#pragma once

// The sheet that both pictures are drawn on, from top to bottom: each section draws itself at a height and returns the
// height below it.

#include "page/xml_writer.hpp"

#include "memviz/svg.hpp"

#include <string>
#include <string_view>

namespace memviz::render {

inline constexpr double kPageWidth = 1200;
inline constexpr double kMargin = 28;
inline constexpr double kContentWidth = kPageWidth - 2 * kMargin;

/// Text with its baseline at `y`; `css_class` names a style of page.css.
XmlElement add_text(XmlElement parent, double x, double y, std::string_view css_class, std::string_view text);
XmlElement add_rect(XmlElement parent, double x, double y, double width, double height);
/// A <g> with a class.
XmlElement add_group(XmlElement parent, std::string_view css_class);
/// A thin line across the page.
void add_rule(XmlElement parent, double y);

class Page {
public:
  /// `summary` is what a screen reader says of the whole picture.
  explicit Page(const SvgOptions& options, std::string_view summary);

  [[nodiscard]] XmlElement svg() { return document_.root(); }
  /// For what stands below the graph: the script moves it when the graph grows.
  [[nodiscard]] XmlElement below_graph() { return below_; }
  /// Starts the part below the graph.
  void begin_below_graph();
  /// Sets the height, adds the script, and writes it all.
  [[nodiscard]] std::string finish(double height);

private:
  XmlDocument document_;
  XmlElement below_;
  XmlElement background_;
  bool has_script_;
};

} // namespace memviz::render
