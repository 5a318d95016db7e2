#include "cli/frame/step_options.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <fmt/format.h>
#include <string_view>

namespace memviz::cli {

namespace {

std::uint64_t length_of(std::string_view digits, std::string_view option, const std::string& word) {
  const auto length = whole_number<std::uint64_t>(digits);
  if (!length || *length == 0)
    throw UsageError(fmt::format("--{} {}: the length of a step must be a number above 0", option, word));
  return *length;
}

StepChoice parse_steps(std::string_view option, const std::string& word) {
  const std::string_view text = word;
  if (text == "auto") return {};
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (kind == "annotation" && !rest.empty()) return {StepSource::annotation, std::string(rest), 0};
  if (kind == "events") return {StepSource::events, {}, length_of(rest, option, word)};
  if (kind == "time") return {StepSource::time, {}, length_of(rest, option, word)};
  throw UsageError(fmt::format("--{} must be auto, annotation:NAME, events:N or time:US, not '{}'", option, word));
}

/// As the snapshot spells it: with --redact a pseudonym, which keeps the number at the end of a name, and therefore the
/// '*'.
std::string annotation_of(const FileOptions& options, std::string_view name) {
  if (!name.ends_with('*')) return shown_annotation(options, name);
  return shown_annotation(options, name.substr(0, name.size() - 1)) + '*';
}

} // namespace

OptionList<LeakOptions> step_options() {
  return {
      parsed(with_words({"steps", '\0', "HOW",
                         "auto (default); annotation:NAME, one at each START of it (NAME* means all that begin so); "
                         "events:N; time:US (microseconds)"},
                        {"auto", "annotation:", "events:", "time:"}),
             &LeakOptions::steps, parse_steps),
  };
}

StepChoice step_choice_of(const FileOptions& options, const StepChoice& given) {
  StepChoice steps = given;
  if (steps.source == StepSource::annotation) steps.annotation = annotation_of(options, steps.annotation);
  return steps;
}

} // namespace memviz::cli
