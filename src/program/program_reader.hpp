#pragma once

// The JSON of an exported program -> Program. All that is not needed for counting is skipped, whatever it is.

#include "program/program.hpp"

#include <string_view>

namespace memviz::program {

/// Throws Error: no JSON (ParseError), not the JSON of an exported program, a schema that is too new or too old, sizes
/// that are not sizes, or sub-graphs nested more than 32 deep. Takes memory of at most about 40 times the text.
[[nodiscard]] Program read_program(std::string_view json);

} // namespace memviz::program
