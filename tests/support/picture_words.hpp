#pragma once

// An SVG that memviz drew -> its text as a viewer sees it, and how two of them differ in that. Ignores scripts, styles
// and positions.

#include <string>
#include <vector>

namespace memviz::test {

struct PicturePart {
  std::string kind; ///< "title", "headline", "figure", "row", "box", ...
  std::string text; ///< the lines of a paragraph are one; for a box its title, or else its class
  double width = 0; ///< of a box, in pixels
};

/// Returns the words in file order. Fails the test if the picture is not well-formed.
[[nodiscard]] std::vector<PicturePart> parts_of(const std::string& svg);

/// Returns one line each, as "headline was 'this', is 'that'"; none if the pictures say the same. Boxes may be half a
/// pixel wider.
[[nodiscard]] std::vector<std::string> differences(const std::string& before, const std::string& after);

} // namespace memviz::test
