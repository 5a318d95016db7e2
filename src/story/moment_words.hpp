#pragma once

// The moments of devices -> words for them, and for the memory that the devices held at other moments.

#include "memviz/device_state.hpp"

#include <span>
#include <string>
#include <string_view>

namespace memviz {

/// Returns the memory that a device held at other moments, and the command that shows them: "At the end: 3.20 GiB
/// requested of 6.50 GiB reserved (memviz flame --at end FILE); at the peak: 39.7 GiB requested (--at peak)", or with
/// an owner "GPU 1 at the end: ...". "" if it has no events or held the same.
[[nodiscard]] std::string other_moments_text(std::string_view command, const DeviceState& device,
                                             std::string_view owner = "");

/// The moment of a device, "at the peak, event 1,234 of 5,678".
[[nodiscard]] std::string moment_text(const DeviceState& device);

/// The moments of several devices: "GPU 1 at the out-of-memory error, event 5 of 9; the others at the end of
/// recording". Omits devices without memory if others have some.
[[nodiscard]] std::string moments_text(std::span<const DeviceState> devices);

} // namespace memviz
