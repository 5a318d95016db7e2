// The report of a process when it ends: one line of JSON appended to MEMVIZ_REHEARSAL_REPORT, and notes on requested
// functions that are not made up.
#pragma once

#include "memory.hpp"

#include <set>
#include <string>

namespace memviz::rehearsal {

struct Counts {
  std::uint64_t host_reads = 0; // copies of device memory to the host
  std::uint64_t kernel_launches = 0;
  std::uint64_t convolutions = 0; // that cuDNN prepared
};

// Returns {"pid": ..., "profile": ..., "devices": [...], "host_reads": N, "kernel_launches": N, "convolutions": N,
// "host_peak_bytes": N, "notes": [...]} and a newline.
[[nodiscard]] std::string report_line(const std::string& profile, const std::vector<DeviceBook>& devices,
                                      const Counts& counts, const std::set<std::string>& notes);

// Appends with one write(2), so that the lines of several processes do not mix. Returns false if it fails.
[[nodiscard]] bool append_line(const std::string& file, const std::string& line);

} // namespace memviz::rehearsal
