#include "cli/picture_output.hpp"

#include "cli/choice.hpp"
#include "cli/files.hpp"
#include "io/program.hpp"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace memviz::cli {

namespace {

constexpr const char* kConverter = "rsvg-convert";
constexpr double kDefaultZoom = 2;

PictureFormat chosen_format(const Arguments& arguments, std::string_view output) {
  if (const auto word = arguments.value("format")) {
    return chosen<PictureFormat>(
        "format", *word, {{"svg", PictureFormat::svg}, {"png", PictureFormat::png}, {"pdf", PictureFormat::pdf}});
  }
  if (output.ends_with(".png")) return PictureFormat::png;
  return output.ends_with(".pdf") ? PictureFormat::pdf : PictureFormat::svg;
}

std::optional<double> zoom_of(const Arguments& arguments) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 10;
  const auto word = arguments.value("zoom");
  if (!word) return std::nullopt;
  double zoom = 0;
  const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), zoom);
  if (error != std::errc() || end != word->data() + word->size() || !(zoom >= kLeast && zoom <= kMost))
    throw UsageError(fmt::format("--zoom must be a number from 0.1 to 10, not '{}'", *word));
  return zoom;
}

} // namespace

std::vector<Option> picture_format_options() {
  return {
      {"format", '\0', "FORMAT",
       "svg, png or pdf (default: what the output's name ends in, else svg). png and pdf show what the SVG shows "
       "without "
       "scripts, and take the program rsvg-convert: on Debian the package librsvg2-bin"},
      {"zoom", '\0', "FACTOR", "pixels of a png for one of the SVG (default: 2)"},
  };
}

PictureFormat picture_format(const Arguments& arguments, const std::string& output) {
  const PictureFormat format = chosen_format(arguments, output);
  if (zoom_of(arguments) && format != PictureFormat::png) throw UsageError("--zoom needs --format png");
  if (format != PictureFormat::svg && !has_program(kConverter)) {
    throw Error(fmt::format("{} takes the program {}, which is not on the PATH; install it (Debian and Ubuntu: "
                            "librsvg2-bin; Fedora: librsvg2-tools; Homebrew: librsvg), or write an SVG",
                            format == PictureFormat::png ? "png" : "pdf", kConverter));
  }
  return format;
}

void write_picture(const Arguments& arguments, const std::string& output, const std::string& svg) {
  const PictureFormat format = picture_format(arguments, output);
  if (format == PictureFormat::svg) return write_output(arguments, output, svg);
  check_redacted(arguments, svg);
  std::vector<std::string> words{kConverter, "--unlimited", "--format"};
  if (format == PictureFormat::png) {
    words.insert(words.end(), {"png", "--zoom", fmt::format("{}", zoom_of(arguments).value_or(kDefaultZoom))});
  } else {
    words.emplace_back("pdf");
  }
  write_output(arguments, output, output_of(words, svg));
}

} // namespace memviz::cli
