#pragma once

// The table of weights next to an exported program -> which of its weights share their bytes.

#include "program/program.hpp"

#include <string_view>

namespace memviz::program {

/// Sets the storage of the program's weights to the one that the archive's table of weights names for them, if any.
/// `json` is the text of model_weights_config.json. Throws Error (ParseError) if it is not JSON.
void read_weight_table(std::string_view json, Program& program);

} // namespace memviz::program
