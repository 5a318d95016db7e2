#pragma once

// Two runs -> one SVG that draws the live bytes of one over those of the other.

#include "memviz/overlay.hpp"
#include "memviz/svg.hpp"

#include <string>
#include <vector>

namespace memviz {

struct OverlayPicture {
  std::string before_file;
  std::string after_file;
  const Overlay& overlay;
  std::vector<std::string> warnings = {}; ///< of both files, each with its file's name
};

[[nodiscard]] std::string overlay_svg(const OverlayPicture& picture, const SvgOptions& options);

} // namespace memviz
