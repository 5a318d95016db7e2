#include "cli/text_outputs.hpp"

#include "io/terminal.hpp"

#include <algorithm>

namespace memviz::cli {

std::size_t text_columns() {
  constexpr std::size_t kFewest = 40;
  constexpr std::size_t kMost = 100;
  return std::clamp(output_terminal_columns().value_or(kMost), kFewest, kMost);
}

OptionList<TextOutputs> TextOutputs::options() {
  return {verbatim({"output", 'o', "FILE", "where the text goes (default: standard output)"}, &TextOutputs::text),
          json_option(&TextOutputs::json, "instead of the text")};
}

} // namespace memviz::cli
