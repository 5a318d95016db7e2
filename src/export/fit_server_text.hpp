#pragma once

// The figures of a rehearsed inference server -> a table of its memory, and of the same server under several settings.

#include "memviz/fit.hpp"

#include <string>

namespace memviz::rehearse {

/// A line for each part of the server's memory that is known; "" where none is.
[[nodiscard]] std::string server_table(const ServerFacts& server);
/// A line for each number that a search tried, smallest first; "" where no run was a server's.
[[nodiscard]] std::string server_search_table(const SearchReport& report);

} // namespace memviz::rehearse
