#pragma once

// A finished SVG -> the file that the command line asks for: SVG, PNG or PDF.

#include "cli/arguments.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::cli {

enum class PictureFormat : std::uint8_t { svg, png, pdf };

[[nodiscard]] std::vector<Option> picture_format_options(); ///< --format, --zoom

/// What --format says, else the ending of the output's name, else SVG. Before the work begins: throws UsageError for a
/// bad --format or --zoom, and Error where the program that makes other formats is missing.
[[nodiscard]] PictureFormat picture_format(const Arguments& arguments, const std::string& output);

/// write_output() of an SVG in the format asked for.
void write_picture(const Arguments& arguments, const std::string& output, const std::string& svg);

} // namespace memviz::cli
