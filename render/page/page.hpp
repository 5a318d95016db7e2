#pragma once

// The sheet that all pictures are drawn on, from top to bottom: each section draws itself at a height and returns the
// height below it.
//
// How a picture scales: without scripts (an image in a page, a PNG) it is drawn for kPageWidth and scales as a whole;
// no text is smaller than 12 pixels, so that it has 11 at a width of 830; below 600, narrow_head.hpp. With scripts it
// takes the width of the window, and every part is laid out anew: web/core/sheet.js walks the sections, which
// Page::add_section() starts. A part that is drawn without a section, or in one whose flow no script knows, is scaled
// as one drawing instead: good for a start, but small on a phone. To be laid out, draw into add_section(y, "NAME") and
// let the picture's script say `layouts.NAME = (section, room) => growth`, which places the section's children between
// room.left and room.right and returns by how many pixels it is taller than in the file. After a change of its height:
// `settle()`.

#include "page/xml_writer.hpp"

#include "memviz/svg.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz::render {

inline constexpr double kPageWidth = 900;
inline constexpr double kMargin = 24;
inline constexpr double kContentWidth = kPageWidth - 2 * kMargin;

/// Draws text with its baseline at `y`; `css_class` names a style of page.css.
XmlElement add_text(XmlElement parent, double x, double y, std::string_view css_class, std::string_view text);
XmlElement add_rect(XmlElement parent, double x, double y, double width, double height);
/// Adds a <g> with a class.
XmlElement add_group(XmlElement parent, std::string_view css_class);
/// Draws a thin line across the page.
void add_rule(XmlElement parent, double y);

class Page {
public:
  /// `summary`: the whole picture in words, for screen readers.
  explicit Page(const SvgOptions& options, std::string_view summary);

  [[nodiscard]] XmlElement svg() { return document_.root(); }
  /// Returns the element for the part below the graph.
  [[nodiscard]] XmlElement below_graph() { return below_; }
  /// Starts the part below the graph.
  void begin_below_graph();
  /// Starts a part of the page at `y`. `flow` decides how it adapts to another width: "words" (a paragraph), "items"
  /// (side by side, as many as fit in a line), "rows" (a ranked list), "bars", or one that the picture's script adds.
  XmlElement add_section(double y, std::string_view flow);
  /// Hides all sections so far where a picture without scripts is drawn narrow: see narrow_head.hpp.
  void leave_sections_to_wide_pictures();
  /// Sets whether the following sections are details: on a phone they come after the drawing.
  void set_details(bool are_details) { are_details_ = are_details; }
  /// Replaces the script that only scales. With scripts turned off there is neither.
  void use_script(std::string_view script) { script_ = script; }
  /// Sets the height, adds the script, and writes everything.
  [[nodiscard]] std::string finish(double height);

private:
  XmlDocument document_;
  XmlElement below_;
  XmlElement background_;
  std::vector<XmlElement> sections_;
  bool has_script_;
  bool are_details_ = false;
  std::string_view script_;
};

} // namespace memviz::render
