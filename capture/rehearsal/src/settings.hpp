// What the environment asks of the rehearsal: MEMVIZ_REHEARSAL_GPU, _DEVICES, _MEMORY, _REPORT and
// CUDA_VISIBLE_DEVICES.
#pragma once

#include "profile.hpp"

#include <functional>
#include <vector>

namespace memviz::rehearsal {

struct Settings {
  Profile profile;
  int machine_devices = 1;  // how many the machine has
  std::vector<int> devices; // the machine's numbers of the devices that the program sees, in its order
  std::string report_file;  // empty: none
};

// `variable` is getenv, or a test's. `folder` is where the library lies, with profiles/ in it. Throws
// std::runtime_error with a sentence on what is wrong.
[[nodiscard]] Settings read_settings(const std::function<const char*(const char*)>& variable,
                                     const std::string& folder);

// The folder that this library was loaded from.
[[nodiscard]] std::string library_folder();

} // namespace memviz::rehearsal
