#include "cli/text_outputs.hpp"

#include "io/terminal.hpp"

#include <algorithm>

namespace memviz::cli {

std::size_t text_columns() {
  constexpr std::size_t kFewest = 40;
  constexpr std::size_t kMost = 100;
  return std::clamp(output_terminal_columns().value_or(kMost), kFewest, kMost);
}

TextOutputs::TextOutputs(const Arguments& arguments)
    : text_(arguments.value("output")), json_(arguments.value("json")) {
  for (const auto& output : {json_, text_})
    if (output) check_output_file(arguments, *output);
}

std::vector<Option> TextOutputs::options() {
  return {{"output", 'o', "FILE", "where the text goes (default: standard output)"},
          {"json", '\0', "FILE", "write JSON there, - for standard output, instead of the text"}};
}

} // namespace memviz::cli
