#pragma once

// The name of this process among those of a distributed program, used in the names of the files that it writes.

#include <functional>
#include <optional>
#include <string>

namespace memviz::capture {

/// Returns the value of an environment variable, or nullptr; std::getenv does.
using Variable = std::function<const char*(const char*)>;

/// Returns the rank that a launcher left in the environment, in digits: the first of kRankVariables that has a number;
/// nullopt if none has.
[[nodiscard]] std::optional<std::string> find_rank(const Variable& variable);

/// Returns the name of this machine, without its domain, suitable for a file's name; "host" if it has none.
[[nodiscard]] std::string host_name();

} // namespace memviz::capture
