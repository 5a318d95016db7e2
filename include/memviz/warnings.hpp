#pragma once

// A state -> warnings that a reader should know before trusting it, one sentence each without its full stop. Their
// number is bounded for any file: those of one kind are counted after the first.

#include "memviz/lost_history.hpp"
#include "memviz/memory_state.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz {

inline constexpr std::string_view kNoMemory = "No segments and no events on any device.";

/// Returns that the recording was rehearsed, if it was, then the reader's warnings.
[[nodiscard]] std::vector<std::string> warnings_of(const Recording& recording);

/// Returns the recording's warnings, then accounts that do not balance, then contradictions at the moments of the
/// devices.
[[nodiscard]] std::vector<std::string> warnings_of(const MemoryState& state);

/// Returns these, and what each device has lost, for readers who ask how far the file can be trusted.
[[nodiscard]] std::vector<std::string> warnings_and_losses(const MemoryState& state);

/// "GPU 0: 505 blocks (12.3 GiB) were allocated while ...".
[[nodiscard]] std::string lost_history_text(const LostHistory& lost, const DeviceState& device_state);

} // namespace memviz
