// The report of a process that may never reach its end (a signal, a crash, _exit): a file next to the report, rewritten
// whenever the process uses more memory than ever before.
#pragma once

#include "report.hpp"

#include <sys/types.h>

namespace memviz::rehearsal {

class LiveReport {
public:
  // Writes to FILE.live-PID if there is something new: a higher peak, or twice as many reads as last time. Does nothing
  // without `file`.
  void keep(const std::string& file, const std::string& profile, const std::vector<DeviceBook>& devices,
            const Counts& counts, const std::set<std::string>& notes);

  // Removes the file, which belongs to this process.
  void remove(const std::string& file) const;

private:
  [[nodiscard]] static std::string path_of(const std::string& file, pid_t owner);
  [[nodiscard]] bool is_news(const std::vector<DeviceBook>& devices, const Counts& counts);

  int descriptor_ = -1;
  pid_t owner_ = 0;
  bool has_failed_ = false;
  std::uint64_t peak_bytes_ = 0; // of all devices
  std::uint64_t next_reads_ = 1;
};

} // namespace memviz::rehearsal
