// The settings of the rehearsal in the environment: MEMVIZ_REHEARSAL_GPU, _DEVICES, _MEMORY, _OUTSIDE, _EVENTS, _REPORT
// and CUDA_VISIBLE_DEVICES.
#pragma once

#include "profile.hpp"

#include <functional>
#include <vector>

namespace memviz::rehearsal {

// When work counts as done, which decides when memory that another stream uses is free.
enum class EventsPass {
  at_once, // the earliest: as soon as it is submitted
  late,    // the latest: when the host waits for it
};

struct Settings {
  Profile profile;
  int machine_devices = 1;         // how many the machine has
  std::vector<int> devices;        // the machine's numbers of the devices that the program sees, in its order
  std::uint64_t outside_bytes = 0; // that libraries take of a device when the first kernel is launched on it
  EventsPass events_pass = EventsPass::at_once;
  std::string report_file; // empty: none
};

// `variable` is getenv, or a test's. `folder` is where the library lies, with profiles/ in it. Throws
// std::runtime_error with a sentence on what is wrong.
[[nodiscard]] Settings read_settings(const std::function<const char*(const char*)>& variable,
                                     const std::string& folder);

// The folder that this library was loaded from.
[[nodiscard]] std::string library_folder();

} // namespace memviz::rehearsal
