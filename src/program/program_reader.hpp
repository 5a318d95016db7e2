#pragma once

// The JSON of an exported program -> Program. Everything that counting does not need is skipped.

#include "program/program.hpp"

#include <string_view>

namespace memviz::program {

/// Throws Error: not JSON (ParseError), not the JSON of an exported program, a schema that is too new or too old,
/// invalid sizes, or sub-graphs nested more than 32 deep. Uses at most about 40 times the memory of the text.
[[nodiscard]] Program read_program(std::string_view json);

} // namespace memviz::program
