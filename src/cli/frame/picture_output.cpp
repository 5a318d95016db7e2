#include "cli/frame/picture_output.hpp"

#include "answers/choice.hpp"
#include "answers/sizes.hpp"
#include "base/ascii.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
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
constexpr const char* kPngConverter =
    "resvg"; ///< where there is no other: in PATH, or in memviz's folder, as pip installs it
constexpr double kDefaultZoom = 2;

/// In upper or lower case.
bool ends_like(std::string_view output, std::string_view ending) {
  if (output.size() < ending.size()) return false;
  const std::string_view end = output.substr(output.size() - ending.size());
  return std::ranges::equal(end, ending, {}, lower_case);
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
  const std::optional<SizeLimit>& limit = options.drawing.max_size;
  if (!limit || bytes <= limit->bytes) return;
  file.advise(fmt::format("{}: has {} bytes, more than --max-size {} allows: nothing more can be merged or omitted",
                          options.output == "-" ? "standard output" : *options.output, bytes, limit->word));
}

PictureFormat format_of(const PictureOptions& options) {
  return options.format ? *options.format : format_by_name(*options.output);
}

/// Returns the name or the path of resvg, whether it exists or not.
std::string png_converter() {
  if (has_program(kPngConverter)) return kPngConverter;
  try {
    return own_file().replace_filename(kPngConverter).string();
  } catch (const Error&) {
    return kPngConverter; // without /proc
  }
}

/// Throws Error where resvg finds no font that pictures name: it would leave out the letters. It lists those that it
/// finds.
void check_fonts() {
  const std::string found = output_of({png_converter(), "--list-fonts", "-", "-c"}, "");
  for (const char* const name : {"'DejaVu Sans Mono", "'Liberation Mono", "'Menlo", "'Consolas"})
    if (found.find(name) != std::string::npos) return;
  throw Error(fmt::format("{} finds none of the fonts DejaVu, Liberation, Menlo and Consolas, and would leave out "
                          "words; install one (Debian and Ubuntu: fonts-dejavu-core), or write an SVG",
                          kPngConverter));
}

/// Returns the program that turns an SVG on its standard input into the format, with its words.
std::vector<std::string> converting_words(const PictureOptions& options, PictureFormat format) {
  if (format == PictureFormat::pdf) return {kConverter, "--unlimited", "--format", "pdf"};
  const std::string zoom = fmt::format("{}", options.zoom.value_or(kDefaultZoom));
  if (has_program(kConverter)) return {kConverter, "--unlimited", "--format", "png", "--zoom", zoom};
  check_fonts();
  // Pictures refer to no files; without a folder for them it warns.
  return {png_converter(), "--quiet", "--resources-dir", "/", "--zoom", zoom, "-", "-c"};
}

} // namespace

OptionList<PictureOptions> drawing_options(const OptionList<DrawingChoice>& drawing) {
  return within<PictureOptions>(&PictureOptions::drawing, drawing);
}

Option<PictureOptions> output_option(std::string help) {
  return verbatim({"output", 'o', "FILE", std::move(help)}, &PictureOptions::output);
}

OptionList<PictureOptions> picture_format_options() {
  return all_rare<PictureOptions>({
      one_of<PictureOptions, std::optional<PictureFormat>, PictureFormat>(
          {"format", '\0', "FORMAT",
           "svg, png or pdf (default: by the ending of the output's name, else svg). png and pdf show the SVG without "
           "scripts, and need the program rsvg-convert (on Debian in the package librsvg2-bin); for a png, resvg is "
           "enough (pip install resvg-cli)"},
          &PictureOptions::format,
          {{"svg", PictureFormat::svg}, {"png", PictureFormat::png}, {"pdf", PictureFormat::pdf}}),
      parsed({"zoom", '\0', "FACTOR", "pixels of a png per pixel of the SVG (default: 2)"}, &PictureOptions::zoom,
             parse_zoom),
  });
}

OptionList<PictureOptions> flame_picture_options() {
  return joined<PictureOptions>({picture_format_options(), drawing_options(flame_drawing_options())});
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
  const bool is_png = format == PictureFormat::png;
  if (has_program(kConverter) || (is_png && has_program(png_converter()))) return;
  throw Error(fmt::format("{} needs the program {}, which is not on the PATH; install it (Debian and Ubuntu: "
                          "librsvg2-bin; Fedora: librsvg2-tools; Homebrew: librsvg{}), or write an SVG",
                          is_png ? "png" : "pdf", kConverter, is_png ? "; or pip install resvg-cli" : ""));
}

void write_picture(const FileOptions& file, const PictureOptions& options, const std::string& svg) {
  const PictureFormat format = format_of(options);
  if (format == PictureFormat::svg) {
    warn_of_size(file, options, svg.size());
    return write_output(file, *options.output, svg);
  }
  check_redacted(file, svg);
  write_output(file, *options.output, output_of(converting_words(options, format), svg));
}

} // namespace memviz::cli
