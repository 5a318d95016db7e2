#pragma once

// A finished SVG -> the file that the command line asks for: SVG, PNG or PDF; and the options of pictures.

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
  std::optional<PictureFormat> format; ///< nothing: what the name of the output ends in
  std::optional<double> zoom;
  std::optional<SizeLimit> max_size;
  std::optional<double> min_percent;
  std::optional<ColorBy> color;
  bool is_upward = false;
  bool is_unfolded = false;
};

/// --color; `standard` is what it is without it: "origin".
[[nodiscard]] Option<PictureOptions> color_option(std::string_view standard);
/// -o; `help` says what it is for.
[[nodiscard]] Option<PictureOptions> output_option(std::string help);
[[nodiscard]] OptionList<PictureOptions> picture_format_options(); ///< --format, --zoom
/// --max-size; `how` says for the help what is done for it, as in "draw fewer bands".
[[nodiscard]] Option<PictureOptions> size_option(std::string_view how);
[[nodiscard]] OptionList<PictureOptions> flame_picture_options(); ///< all of a flame graph, except for -o

/// Returns the options of a flame graph with such frames.
[[nodiscard]] SvgOptions svg_options(const PictureOptions& options, FrameFilter frames);
/// Returns the options of a picture without frames.
[[nodiscard]] SvgOptions svg_options(const PictureOptions& options);

/// Before the work begins: throws UsageError for a --format or --zoom that does not go with the output, and Error where
/// the program that makes other formats than SVG is missing. Without an output nothing says where a picture goes, and
/// then
/// --format and --zoom are bad usage.
void check_picture(const PictureOptions& options);

/// write_output() of an SVG to the options' output, in the format that --format asks for, else the ending of the
/// output's name, else as it is. Says so where it is larger than --max-size all the same.
void write_picture(const FileOptions& file, const PictureOptions& options, const std::string& svg);

} // namespace memviz::cli
