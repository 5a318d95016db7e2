#pragma once

// An SVG that memviz drew -> what it says to who looks at it, and how two of them differ in that. Scripts, styles and
// where on the page something is say nothing.

#include <string>
#include <vector>

namespace memviz::test {

struct PicturePart {
  std::string kind; ///< "title", "headline", "figure", "row", "box", ...
  std::string text; ///< the lines of a paragraph are one; of a box its title, or else its class
  double width = 0; ///< of a box, in pixels
};

/// In the order of the file. Fails the test where it is not well-formed.
[[nodiscard]] std::vector<PicturePart> parts_of(const std::string& svg);

/// One line each, as "headline was 'this', is 'that'"; none where the pictures say the same. Boxes may be half a pixel
/// wider.
[[nodiscard]] std::vector<std::string> differences(const std::string& before, const std::string& after);

} // namespace memviz::test
