#pragma once

// A finished SVG -> the requested file: SVG, PNG or PDF; and the options of pictures.

#include "answers/drawing_options.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/file_options.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace memviz::cli {

enum class PictureFormat : std::uint8_t { svg, png, pdf };

struct PictureOptions {
  std::optional<std::string> output;
  std::optional<PictureFormat> format; ///< nullopt: by the ending of the output's name
  std::optional<double> zoom;
  DrawingChoice drawing = {};
};

/// Returns the options of a drawing as those of its picture.
[[nodiscard]] OptionList<PictureOptions> drawing_options(const OptionList<DrawingChoice>& drawing);
/// Defines -o; `help` says its purpose.
[[nodiscard]] Option<PictureOptions> output_option(std::string help);
[[nodiscard]] OptionList<PictureOptions> picture_format_options(); ///< --format, --zoom
[[nodiscard]] OptionList<PictureOptions> flame_picture_options();  ///< Defines all options of a flame graph except -o.

/// Checks the output before the work begins: throws UsageError for a --format or --zoom that does not suit the output,
/// or that is given without an output, and Error if the program that makes formats other than SVG is missing.
void check_picture(const PictureOptions& options);

/// Writes an SVG to the options' output with write_output(), in the format of --format, else of the ending of the
/// output's name, else as SVG. Warns if it is larger than --max-size.
void write_picture(const FileOptions& file, const PictureOptions& options, const std::string& svg);

} // namespace memviz::cli
