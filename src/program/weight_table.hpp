#pragma once

// The table of weights next to an exported program -> which of its weights share their bytes.

#include "program/program.hpp"

#include <string_view>

namespace memviz::program {

/// Gives the program's weights the storage that the archive's table of weights names for them, where it names one.
/// `json` is the text of model_weights_config.json. Throws Error (ParseError): no JSON.
void read_weight_table(std::string_view json, Program& program);

} // namespace memviz::program
