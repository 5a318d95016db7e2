#include "memviz/flops.hpp"

#include "answers/sizes.hpp"
#include "base/whole_number.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/highlight.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/picture_output.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/flops_report.hpp"
#include "memviz/input.hpp"
#include "memviz/redact.hpp"
#include "memviz/svg.hpp"

#include <fmt/format.h>
#include <string>

namespace memviz::cli {

namespace {

struct FlopsCommand : CommandOptions {
  FlopOptions flops;
  PictureOptions picture;
  std::optional<std::string> json;
  std::size_t depth = 0;
};

/// "s0=8"
Option<FlopsCommand> set_option() {
  return {
      {"set", '\0', "NAME=N",
       "the value of a symbolic size, for example s0=8; may be given several times (default: its value in the export)",
       true},
      [](FlopsCommand& options, const std::string& word) {
        const std::size_t equals = word.find('=');
        const auto size = whole_number<std::int64_t>(
            equals == std::string::npos ? std::string_view() : std::string_view(word).substr(equals + 1));
        if (!size || *size < 0 || equals == 0)
          throw UsageError(fmt::format("--set must be a name and a size, as in s0=8, not '{}'", word));
        options.flops.sizes[word.substr(0, equals)] = *size;
      }};
}

OptionList<FlopsCommand> flops_options() {
  return joined<FlopsCommand>(
      {within<FlopsCommand>(&FlopsCommand::picture,
                            {output_option("also draw a picture; - is standard output, instead of the text")}),
       {json_option(&FlopsCommand::json, "instead of the text"),
        set_option(),
        {{"model", '\0', "NAME", "the program to read, in an archive with several"},
         [](FlopsCommand& options, const std::string& word) { options.flops.model = word; }},
        parsed({"depth", '\0', "N", "levels of modules in the text (default: as many as 40 lines allow)"},
               &FlopsCommand::depth,
               [](std::string_view option, const std::string& word) {
                 constexpr std::uint64_t kDeepest = 1000;
                 return static_cast<std::size_t>(parse_count(option, word, 1, kDeepest));
               })},
       within<FlopsCommand>(&FlopsCommand::picture, picture_format_options()),
       within<FlopsCommand>(&FlopsCommand::file, redact_options()),
       within<FlopsCommand>(&FlopsCommand::file, general_options())});
}

/// Counts a program. With --redact, replaces errors about the archive, because they quote names in it.
ModelFlops counted(const FlopsCommand& options) {
  const std::string& file = options.operands.front();
  FlopOptions wanted = options.flops;
  wanted.redactor = options.file.redactor.get();
  try {
    const InputOptions input{.check_head = reject_foreign_archive};
    return naming_file(file, [&] { return count_flops(read_input(file, input).bytes(), wanted); });
  } catch (const UsageError&) {
    throw;
  } catch (const Error&) {
    if (wanted.redactor == nullptr) throw;
    throw Error(shown_name(file, options.file) + ": cannot be counted; without --redact the message says why");
  }
}

int run_flops(const FlopsCommand& options) {
  check_picture(options.picture);
  check_outputs(options, {{"-o", options.picture.output}, {"--json", options.json}});
  const ModelFlops model = counted(options);
  const std::string file = shown_name(options.operands.front(), options.file);
  const std::optional<std::string>& output = options.picture.output;
  std::string svg;
  if (output) svg = naming_file(file, [&] { return flops_svg(picture_name(file), model, {.fold = false}); });
  if (options.json) write_output(options.file, *options.json, flops_json(file, model));
  if (output) write_picture(options.file, options.picture, svg);
  if (!options.json && output != "-") print(for_output(flops_text(file, model, options.depth)));
  return kSuccess;
}

} // namespace

Command flops_command() {
  const CommandText text{
      .name = "flops",
      .operands = "MODEL.pt2 [options]",
      .operand_count = 1,
      .summary = "the FLOPs, parameters and kept activations of a torch.export program",
      .text =
          "Reads a file of torch.export.save, without PyTorch and without its weights, and counts the floating point "
          "operations of its matrix products in a forward pass: by operator, by module, and for a transformer by the "
          "purpose of each product. It also gives the bytes of each module's parameters, and of the tensors that a "
          "forward pass in training keeps for backward. Operators that are not counted are listed.",
      .examples = "  memviz flops model.pt2\n"
                  "  memviz flops model.pt2 -o flops.svg\n"
                  "  memviz flops model.pt2 --set s0=32 --depth 3\n"
                  "  memviz flops model.pt2 --json - | jq .flops\n"
                  "  memviz flops model.pt2 --redact all -o flops.svg\n",
      .file_pattern = "*.pt2",
  };
  return command(text, flops_options(), run_flops);
}

} // namespace memviz::cli
