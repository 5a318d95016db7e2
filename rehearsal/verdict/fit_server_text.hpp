#pragma once

// The figures of a rehearsed inference server -> a table of its memory.

#include "verdict/fit.hpp"

#include <string>

namespace memviz::rehearse {

/// Returns a line for each known part of the server's memory; "" if none is known.
[[nodiscard]] std::string server_table(const ServerFacts& server);

} // namespace memviz::rehearse
