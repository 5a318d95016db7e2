#pragma once

// Checks that an SVG that memviz drew is a sound picture, and fails the running test if it is not.

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::test {

/// A box of a graph, read back from the file.
struct SvgBox {
  std::string css_class;
  std::string title;
  std::string label; ///< "" where it has none
  std::uint64_t row = 0;
  std::uint64_t x_units = 0;
  std::uint64_t width_units = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  double x = 0;
  double y = 0;
  double width = 0;
};

/// Returns the document; fails the test if it is not well-formed.
[[nodiscard]] pugi::xml_document parse_svg(const std::string& svg);
[[nodiscard]] std::vector<SvgBox> boxes_of(const pugi::xml_document& document);
/// Returns the first box whose title starts with `beginning`; fails the test if there is none.
[[nodiscard]] SvgBox box_titled(const std::vector<SvgBox>& boxes, std::string_view beginning);
/// Whether a text is not the first line of its paragraph.
[[nodiscard]] bool goes_on(const pugi::xml_node& text);
/// Returns all text that a static viewer shows, one line per element; the lines of a paragraph are one.
[[nodiscard]] std::string visible_text(const pugi::xml_document& document);

/// Checks: well-formed and valid characters only; ids unique; in every row no two boxes overlap; every box is below one
/// that spans it; children's bytes never exceed the parent's; labels fit their boxes; all boxes are on the page.
void check_svg(const std::string& svg);

/// Returns `svg` with "drawn by memviz VERSION" instead of the current version.
[[nodiscard]] std::string without_version(std::string svg);

/// Compares with tests/golden/`name`, both pretty-printed; MEMVIZ_BLESS=1 in the environment rewrites the file.
void check_golden(const std::string& svg, const std::string& name);

} // namespace memviz::test
