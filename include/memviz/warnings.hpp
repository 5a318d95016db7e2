#pragma once

// A state -> warnings that a reader should know before trusting it, one sentence each without its full stop. There
// are few of them whatever the file has: those of one kind are counted after the first.

#include "memviz/lost_history.hpp"
#include "memviz/memory_state.hpp"

#include <string>
#include <vector>

namespace memviz {

/// Returns that the recording was rehearsed, if so, then the reader's warnings.
[[nodiscard]] std::vector<std::string> warnings_of(const Recording& recording);

/// The recording's, then accounts that do not balance, then what does not fit into the moments of the devices.
[[nodiscard]] std::vector<std::string> warnings_of(const MemoryState& state);

/// For those who ask what the file is worth: these, and what each device has lost.
[[nodiscard]] std::vector<std::string> warnings_and_losses(const MemoryState& state);

/// "GPU 0: 505 blocks (12.3 GiB) were allocated while ...".
[[nodiscard]] std::string lost_history_text(const LostHistory& lost, const DeviceState& device_state);

} // namespace memviz
