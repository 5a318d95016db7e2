#pragma once

// A process that memviz recorded -> a connection to its channel: a Unix socket in a folder of this user, which
// python/memviz_torch/recording/channel.py opens.

#include "attach/process.hpp"
#include "io/descriptor.hpp"

#include <optional>
#include <vector>

namespace memviz::attach {

/// Returns a connection to the channel of the process; nullopt if it has none that belongs to it and its user. Removes
/// the socket of a process that has ended.
[[nodiscard]] std::optional<Descriptor> channel_of(const Process& process);

/// Returns the processes that have a channel of this user, in ascending order.
[[nodiscard]] std::vector<pid_t> processes_with_channels();

} // namespace memviz::attach
