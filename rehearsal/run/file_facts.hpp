#pragma once

// A snapshot of a rehearsed run -> which lines held the memory, and why it failed, if it did.

#include "verdict/fit.hpp"

#include <optional>
#include <string>

namespace memviz::rehearse {

/// Returns the facts of the device that held most at its peak; nullopt if there are no events. Throws Error.
[[nodiscard]] std::optional<FileFacts> facts_at_peak(const std::string& file);

/// Returns the facts of the last out-of-memory error; nullopt if the file has none. Throws Error.
[[nodiscard]] std::optional<Failure> facts_at_failure(const std::string& file);

} // namespace memviz::rehearse
