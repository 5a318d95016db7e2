#pragma once

// A finished SVG -> the file that the command line asks for: SVG, PNG or PDF.

#include "cli/arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz::cli {

[[nodiscard]] std::vector<Option> picture_format_options(); ///< --format, --zoom

/// Before the work begins: throws UsageError for a bad --format or --zoom, Error where the program that makes other
/// formats than SVG is missing, and what check_output_file() throws.
/// Without an output nothing says where a picture goes, and then --format and --zoom are bad usage.
void check_picture_output(const Arguments& arguments, const std::optional<std::string>& output);

/// write_output() of an SVG in the format that --format asks for, else the ending of the output's name, else as it is.
/// Says so where it is larger than --max-size all the same.
void write_picture(const Arguments& arguments, const std::string& output, const std::string& svg);

} // namespace memviz::cli
