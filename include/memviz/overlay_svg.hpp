#pragma once

// Two runs -> one SVG in which the live bytes of one are laid over those of the other.

#include "memviz/overlay.hpp"
#include "memviz/svg.hpp"

#include <string>
#include <vector>

namespace memviz {

struct OverlayPicture {
  std::string before_file;
  std::string after_file;
  const Overlay& overlay;
  std::vector<std::string> warnings = {}; ///< of both files, each with the name of its file
};

[[nodiscard]] std::string overlay_svg(const OverlayPicture& picture, const SvgOptions& options);

} // namespace memviz
