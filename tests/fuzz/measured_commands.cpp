#include "measured_commands.hpp"

#include "cli/frame/command.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>

namespace memviz::fuzz {
namespace {

/// Options with words that choose what is written. --format of pictures takes a program that converts the same SVG.
constexpr std::array<std::string_view, 3> kChoices{"format", "view", "by"};
/// Options without a value, or with one value, that change what is written.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kVariants{
    {{"json", "/dev/null"}, {"full", ""}, {"stacks", ""}, {"redact", "all"}}};
/// The commands whose outputs are searched for hidden names: the others write less of the same texts.
constexpr std::array<std::string_view, 2> kRedacted{"flame", "trace"};

const OptionText* option_of(const cli::Command& command, std::string_view name) {
  const auto found = std::ranges::find(command.options, name, &OptionText::name);
  return found == command.options.end() ? nullptr : &*found;
}

bool is_of(const cli::Command& command, FileKind kind) {
  if (command.text.takes_program || command.text.takes_process) return false;
  // A page that reads its file in the browser.
  if (command.text.name == "view") return false;
  return (command.text.name == "flops") == (kind == FileKind::archive);
}

MeasuredStep step_of(const cli::Command& command, std::vector<std::string> options) {
  MeasuredStep step;
  step.files = command.text.operand_count;
  step.name = fmt::format("{} {}", command.text.name, fmt::join(options, " "));
  step.words = {std::string(command.text.name)};
  step.words.insert(step.words.end(), step.files, "FILE");
  const bool has_json = std::ranges::find(options, "--json") != options.end();
  if (option_of(command, "output") != nullptr && !has_json) step.words.insert(step.words.end(), {"-o", "/dev/null"});
  step.words.insert(step.words.end(), options.begin(), options.end());
  return step;
}

bool draws_pictures(const OptionText& option) {
  return std::ranges::find(option.words, "svg") != option.words.end();
}

/// `export` has no output without a format.
bool needs_format(const cli::Command& command) {
  return command.text.name == "export";
}

void add_choices(std::vector<MeasuredStep>& steps, const cli::Command& command, std::size_t shape_number) {
  for (const std::string_view name : kChoices) {
    const OptionText* const option = option_of(command, name);
    if (option == nullptr || draws_pictures(*option)) continue;
    for (const std::string_view word : option->words) {
      std::vector<std::string> options{fmt::format("--{}", name), std::string(word)};
      if (needs_format(command) && name != "format") options.insert(options.end(), {"--format", "json"});
      const OptionText* const table = option_of(command, "table");
      if (table != nullptr && (word == "csv" || word == "ndjson"))
        options.insert(options.end(), {"--table", std::string(table->words[shape_number % table->words.size()])});
      steps.push_back(step_of(command, std::move(options)));
    }
  }
}

void add_variants(std::vector<MeasuredStep>& steps, const cli::Command& command) {
  for (const auto& [name, value] : kVariants) {
    if (option_of(command, name) == nullptr) continue;
    const bool is_redacted = std::ranges::find(kRedacted, command.text.name) != kRedacted.end();
    if (needs_format(command) || (name == "redact" && !is_redacted)) continue;
    std::vector<std::string> options{fmt::format("--{}", name)};
    if (!value.empty()) options.emplace_back(value);
    steps.push_back(step_of(command, std::move(options)));
  }
}

} // namespace

std::vector<MeasuredStep> measured_steps(FileKind kind, std::size_t shape_number) {
  std::vector<MeasuredStep> steps;
  for (const cli::Command& command : cli::commands()) {
    if (!is_of(command, kind)) continue;
    const std::size_t before = steps.size();
    add_choices(steps, command, shape_number); // the defaults are among them
    if (steps.size() == before) steps.push_back(step_of(command, {}));
    add_variants(steps, command);
  }
  return steps;
}

bool needs_keepers(const MeasuredStep& step) {
  return std::ranges::find(step.words, "keeper") != step.words.end();
}

} // namespace memviz::fuzz
