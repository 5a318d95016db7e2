#pragma once

// A picture -> the same as an image, in which nothing reads what only scripts and pointers read.

#include <string>
#include <string_view>

namespace memviz::render {

/// Returns a picture that an XmlDocument wrote, without attributes data-... and tooltips.
[[nodiscard]] std::string still_picture(std::string_view svg);

} // namespace memviz::render
