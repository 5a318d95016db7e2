#include "cli/text_outputs.hpp"

namespace memviz::cli {

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
