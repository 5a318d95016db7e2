#include "cli/picture_output.hpp"

#include "cli/choice.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/sizes.hpp"
#include "io/program.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace memviz::cli {

namespace {

enum class PictureFormat : std::uint8_t { svg, png, pdf };

constexpr const char* kConverter = "rsvg-convert";
constexpr double kDefaultZoom = 2;

/// In whatever case its letters are.
bool ends_like(std::string_view output, std::string_view ending) {
  if (output.size() < ending.size()) return false;
  const std::string_view end = output.substr(output.size() - ending.size());
  return std::equal(end.begin(), end.end(), ending.begin(), [](char one, char other) {
    return one == other || (one >= 'A' && one <= 'Z' && one - 'A' + 'a' == other);
  });
}

PictureFormat chosen_format(const Arguments& arguments, std::string_view output) {
  if (const auto word = arguments.value("format")) {
    return chosen<PictureFormat>(
        "format", *word, {{"svg", PictureFormat::svg}, {"png", PictureFormat::png}, {"pdf", PictureFormat::pdf}});
  }
  if (ends_like(output, ".png")) return PictureFormat::png;
  if (ends_like(output, ".pdf")) return PictureFormat::pdf;
  for (const std::string_view ending : {".jpg", ".jpeg", ".gif", ".webp", ".html"})
    if (ends_like(output, ending))
      throw UsageError(fmt::format("'{}' ends in {}, which memviz does not write: .svg, .png or .pdf (or say --format)",
                                   output, ending));
  return PictureFormat::svg;
}

std::optional<double> zoom_of(const Arguments& arguments) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 4; // 10 took 20 s and 400 MB for a picture that no viewer shows whole
  const auto word = arguments.value("zoom");
  return word ? std::optional(parse_factor("zoom", *word, kLeast, kMost)) : std::nullopt;
}

/// What is left when everything that can be merged is: a picture has to say something.
void warn_of_size(const Arguments& arguments, const std::string& output, std::size_t bytes) {
  const auto limit = arguments.value("max-size");
  if (!limit || arguments.has("quiet") || bytes <= parse_bytes("max-size", *limit)) return;
  say_message(fmt::format("{}: has {} bytes, more than --max-size {} allows: nothing more can be merged or left out",
                          output == "-" ? "standard output" : output, bytes, *limit));
}

PictureFormat format_for(const Arguments& arguments, const std::string& output) {
  const PictureFormat format = chosen_format(arguments, output);
  if (zoom_of(arguments) && format != PictureFormat::png) throw UsageError("--zoom needs --format png");
  if (format != PictureFormat::svg && !has_program(kConverter)) {
    throw Error(fmt::format("{} takes the program {}, which is not on the PATH; install it (Debian and Ubuntu: "
                            "librsvg2-bin; Fedora: librsvg2-tools; Homebrew: librsvg), or write an SVG",
                            format == PictureFormat::png ? "png" : "pdf", kConverter));
  }
  return format;
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

void check_picture_output(const Arguments& arguments, const std::optional<std::string>& output) {
  if (!output) {
    if (arguments.value("format") || arguments.value("zoom"))
      throw UsageError("--format and --zoom need -o, which says where the picture goes");
    return;
  }
  static_cast<void>(format_for(arguments, *output));
  check_output_file(arguments, *output);
}

void write_picture(const Arguments& arguments, const std::string& output, const std::string& svg) {
  const PictureFormat format = format_for(arguments, output);
  if (format == PictureFormat::svg) {
    warn_of_size(arguments, output, svg.size());
    return write_output(arguments, output, svg);
  }
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
