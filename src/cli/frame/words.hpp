#pragma once

// The words of a command line -> operands, and which option was given which word.

#include "answers/option.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz::cli {

struct GivenOption {
  std::size_t option = 0; ///< index in the list of options
  std::string word;       ///< "" of an option without a value
};

struct ParsedWords {
  std::vector<std::string> operands;
  std::vector<GivenOption> given; ///< in the order of the command line
};

/// Throws UsageError for an option that is unknown (suggests the most similar one), given twice (unless allowed), or
/// without its value: a following word that begins with "--" is the next option.
[[nodiscard]] ParsedWords parse_words(const std::vector<std::string>& words, const std::vector<OptionText>& options);

} // namespace memviz::cli
