#include "cli/picture_output.hpp"

#include "cli/choice.hpp"
#include "cli/messages.hpp"
#include "cli/outputs.hpp"
#include "cli/sizes.hpp"
#include "io/program.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace memviz::cli {

namespace {

constexpr const char* kConverter = "rsvg-convert";
constexpr double kDefaultZoom = 2;

/// In upper or lower case.
bool ends_like(std::string_view output, std::string_view ending) {
  if (output.size() < ending.size()) return false;
  const std::string_view end = output.substr(output.size() - ending.size());
  return std::equal(end.begin(), end.end(), ending.begin(), [](char one, char other) {
    return one == other || (one >= 'A' && one <= 'Z' && one - 'A' + 'a' == other);
  });
}

double parse_zoom(std::string_view option, const std::string& word) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 4; // 10 took 20 s and 400 MB for a picture that no viewer shows as a whole
  return parse_factor(option, word, kLeast, kMost);
}

PictureFormat format_by_name(std::string_view output) {
  if (ends_like(output, ".png")) return PictureFormat::png;
  if (ends_like(output, ".pdf")) return PictureFormat::pdf;
  for (const std::string_view ending : {".jpg", ".jpeg", ".gif", ".webp", ".html"})
    if (ends_like(output, ending))
      throw UsageError(fmt::format("'{}' ends in {}, which memviz does not write: use .svg, .png or .pdf (or --format)",
                                   output, ending));
  return PictureFormat::svg;
}

/// Warns that a picture is large although everything that can be merged is.
void warn_of_size(const FileOptions& file, const PictureOptions& options, std::size_t bytes) {
  if (!options.max_size || bytes <= options.max_size->bytes) return;
  file.advise(fmt::format("{}: has {} bytes, more than --max-size {} allows: nothing more can be merged or omitted",
                          options.output == "-" ? "standard output" : *options.output, bytes, options.max_size->word));
}

PictureFormat format_of(const PictureOptions& options) {
  return options.format ? *options.format : format_by_name(*options.output);
}

Option<PictureOptions> color_option_of(std::string_view standard, std::string_view more_words, Choices<ColorBy> more) {
  Choices<ColorBy> choices{{"origin", ColorBy::origin}, {"line", ColorBy::line}, {"kind", ColorBy::kind}};
  choices.insert(choices.end(), more.begin(), more.end());
  return one_of<PictureOptions, std::optional<ColorBy>, ColorBy>(
      {"color", '\0', "BY",
       fmt::format("the meaning of colours. origin: your code, torch, other Python or C++; line: the line of your own "
                   "code, with the same colour in every picture; kind: parameter, gradient, activation, ... "
                   "(docs/kinds.md){} (default: {})",
                   more_words, standard)},
      &PictureOptions::color, choices);
}

} // namespace

Option<PictureOptions> output_option(std::string help) {
  return verbatim({"output", 'o', "FILE", std::move(help)}, &PictureOptions::output);
}

Option<PictureOptions> color_option(std::string_view standard) {
  return color_option_of(standard, "", {});
}

Option<PictureOptions> color_or_keeper_option(std::string_view standard) {
  return color_option_of(standard, "; keeper: the variable that keeps it at the end (docs/keepers.md)",
                         {{"keeper", ColorBy::keeper}});
}

OptionList<PictureOptions> picture_format_options() {
  return all_rare<PictureOptions>({
      one_of<PictureOptions, std::optional<PictureFormat>, PictureFormat>(
          {"format", '\0', "FORMAT",
           "svg, png or pdf (default: by the ending of the output's name, else svg). png and pdf show the SVG without "
           "scripts, and need the program rsvg-convert (on Debian in the package librsvg2-bin)"},
          &PictureOptions::format,
          {{"svg", PictureFormat::svg}, {"png", PictureFormat::png}, {"pdf", PictureFormat::pdf}}),
      parsed({"zoom", '\0', "FACTOR", "pixels of a png per pixel of the SVG (default: 2)"}, &PictureOptions::zoom,
             parse_zoom),
  });
}

Option<PictureOptions> size_option(std::string_view how) {
  return rare(parsed({"max-size", '\0', "SIZE",
                      fmt::format("{} until the file is no larger, for example 500K or 1MiB (default: 2M)", how)},
                     &PictureOptions::max_size, parse_size_limit));
}

OptionList<PictureOptions> flame_picture_options() {
  return joined<PictureOptions>(
      {picture_format_options(),
       all_rare<PictureOptions>({
           flag({"upward", '\0', "", "root at the bottom, stacks growing up"}, &PictureOptions::is_upward),
           flag({"no-fold", '\0', "",
                 "draw every frame as a separate box; by default runs of frames that are not your own are folded into "
                 "one (--frames all never folds)"},
                &PictureOptions::is_unfolded),
           size_option("merge small boxes"),
           parsed({"min-percent", '\0', "P", "merge boxes narrower than P percent of the picture into one per parent"},
                  &PictureOptions::min_percent, parse_percent),
       })});
}

SvgOptions svg_options(const PictureOptions& options) {
  SvgOptions svg;
  if (options.max_size) svg.max_bytes = options.max_size->bytes;
  svg.color = options.color;
  return svg;
}

SvgOptions svg_options(const PictureOptions& options, FrameFilter frames) {
  SvgOptions svg = svg_options(options);
  svg.upward = options.is_upward;
  svg.fold = !options.is_unfolded && frames != FrameFilter::all;
  if (options.min_percent) svg.min_percent = *options.min_percent;
  return svg;
}

void check_picture(const PictureOptions& options) {
  if (!options.output) {
    if (options.format || options.zoom) throw UsageError("--format and --zoom need -o, the output of the picture");
    return;
  }
  const PictureFormat format = format_of(options);
  if (options.zoom && format != PictureFormat::png) throw UsageError("--zoom needs --format png");
  if (format == PictureFormat::svg) return;
  check_binary_output(*options.output, format == PictureFormat::png ? "a png" : "a pdf");
  if (has_program(kConverter)) return;
  throw Error(fmt::format("{} needs the program {}, which is not on the PATH; install it (Debian and Ubuntu: "
                          "librsvg2-bin; Fedora: librsvg2-tools; Homebrew: librsvg), or write an SVG",
                          format == PictureFormat::png ? "png" : "pdf", kConverter));
}

void write_picture(const FileOptions& file, const PictureOptions& options, const std::string& svg) {
  const PictureFormat format = format_of(options);
  if (format == PictureFormat::svg) {
    warn_of_size(file, options, svg.size());
    return write_output(file, *options.output, svg);
  }
  check_redacted(file, svg);
  std::vector<std::string> words{kConverter, "--unlimited", "--format"};
  if (format == PictureFormat::png) {
    words.insert(words.end(), {"png", "--zoom", fmt::format("{}", options.zoom.value_or(kDefaultZoom))});
  } else {
    words.emplace_back("pdf");
  }
  write_output(file, *options.output, output_of(words, svg));
}

} // namespace memviz::cli
