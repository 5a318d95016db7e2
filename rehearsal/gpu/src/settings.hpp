// The settings of the rehearsal in the environment: MEMVIZ_REHEARSAL_GPU, _DEVICES, _MEMORY, _OUTSIDE, _EVENTS,
// _ADDRESSES, _REPORT, _SHARED, _OTHERS and CUDA_VISIBLE_DEVICES.
#pragma once

#include "profile.hpp"

#include <functional>
#include <vector>

namespace memviz::rehearsal {

inline constexpr int kMostDevices = 1024; // of a machine

// When work counts as done, which decides when memory used on other streams becomes free.
enum class EventsPass {
  at_once, // the earliest: when it is submitted
  late,    // the latest: when the host waits for it
};

struct Settings {
  Profile profile;
  int machine_devices = 1;         // the number of devices of the machine
  std::vector<int> devices;        // the machine's numbers of the devices that the program sees, in its order
  std::uint64_t outside_bytes = 0; // taken of a device by libraries when the first kernel is launched on it
  EventsPass events_pass = EventsPass::at_once;
  bool packs_addresses = false;           // as the driver on Windows does
  std::string report_file;                // empty: none
  std::string shared_file;                // see shared_books.hpp; empty: none
  std::vector<std::uint64_t> other_bytes; // of each device of the machine, taken by programs outside the rehearsal
};

// `variable` is getenv, or a test's. `folder`: the library's folder, which contains profiles/. Throws
// std::runtime_error with a sentence on the error.
[[nodiscard]] Settings read_settings(const std::function<const char*(const char*)>& variable,
                                     const std::string& folder);

// Returns the folder that this library was loaded from.
[[nodiscard]] std::string library_folder();

} // namespace memviz::rehearsal
