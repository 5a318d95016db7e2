#pragma once

// A finished SVG -> the requested file: SVG, PNG or PDF; and the options of pictures.

#include "cli/command.hpp"
#include "cli/file_options.hpp"
#include "memviz/svg.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::cli {

enum class PictureFormat : std::uint8_t { svg, png, pdf };

struct PictureOptions {
  std::optional<std::string> output;
  std::optional<PictureFormat> format; ///< nullopt: by the ending of the output's name
  std::optional<double> zoom;
  std::optional<SizeLimit> max_size;
  std::optional<double> min_percent;
  std::optional<ColorBy> color;
  bool is_upward = false;
  bool is_unfolded = false;
};

/// Defines --color; `standard` is the default: "origin".
[[nodiscard]] Option<PictureOptions> color_option(std::string_view standard);
/// Defines --color with keepers.
[[nodiscard]] Option<PictureOptions> color_or_keeper_option(std::string_view standard);
/// Defines -o; `help` says its purpose.
[[nodiscard]] Option<PictureOptions> output_option(std::string help);
[[nodiscard]] OptionList<PictureOptions> picture_format_options(); ///< --format, --zoom
/// Defines --max-size; `how` says for the help what is done to reach it, as in "draw fewer bands".
[[nodiscard]] Option<PictureOptions> size_option(std::string_view how);
[[nodiscard]] OptionList<PictureOptions> flame_picture_options(); ///< Defines all options of a flame graph except -o.

/// Returns the options of a flame graph with such frames.
[[nodiscard]] SvgOptions svg_options(const PictureOptions& options, FrameFilter frames);
/// Returns the options of a picture without frames.
[[nodiscard]] SvgOptions svg_options(const PictureOptions& options);

/// Checks the output before the work begins: throws UsageError for a --format or --zoom that does not suit the output,
/// or that is given without an output, and Error if the program that makes formats other than SVG is missing.
void check_picture(const PictureOptions& options);

/// Writes an SVG to the options' output with write_output(), in the format of --format, else of the ending of the
/// output's name, else as SVG. Warns if it is larger than --max-size.
void write_picture(const FileOptions& file, const PictureOptions& options, const std::string& svg);

} // namespace memviz::cli
