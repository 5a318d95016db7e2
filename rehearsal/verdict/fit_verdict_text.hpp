#pragma once

// The verdict on one rehearsed run -> text.

#include "verdict/fit.hpp"

#include <cstddef>
#include <string>

namespace memviz::rehearse {

/// Returns PyTorch's part of the peak. After a server has released memory, PyTorch's count can exceed the device's use.
[[nodiscard]] std::string pytorch_text(const DeviceUse& use);
/// Returns what follows the headline: each device, who holds its memory or why it ran out, the snapshots, and the
/// notes.
[[nodiscard]] std::string verdict_text(const FitVerdict& verdict, std::size_t columns);

} // namespace memviz::rehearse
