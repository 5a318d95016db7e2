#pragma once

// The figures of a rehearsed inference server -> a table of its memory, and of the same server under several settings.

#include "memviz/fit.hpp"

#include <string>

namespace memviz::rehearse {

/// Returns a line for each known part of the server's memory; "" if none is known.
[[nodiscard]] std::string server_table(const ServerFacts& server);
/// Returns a line for each number that a search tried, smallest first; "" if no run was a server's.
[[nodiscard]] std::string server_search_table(const SearchReport& report);

} // namespace memviz::rehearse
