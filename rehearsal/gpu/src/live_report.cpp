#include "live_report.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace memviz::rehearsal {

std::string LiveReport::path_of(const std::string& file, pid_t owner) {
  return file + ".live-" + std::to_string(owner);
}

void LiveReport::remove(const std::string& file) const {
  if (owner_ == getpid()) unlink(path_of(file, owner_).c_str());
}

bool LiveReport::is_news(const std::vector<DeviceBook>& devices, const Counts& counts) {
  std::uint64_t peak_bytes = 0;
  for (const DeviceBook& book : devices)
    peak_bytes += book.peak_used_bytes;
  if (peak_bytes == peak_bytes_ && counts.host_reads < next_reads_) return false;
  peak_bytes_ = peak_bytes;
  while (next_reads_ <= counts.host_reads)
    next_reads_ *= 2;
  return true;
}

void LiveReport::keep(const std::string& file, const std::string& profile, const std::vector<DeviceBook>& devices,
                      const Counts& counts, const std::set<std::string>& notes) {
  if (file.empty() || has_failed_ || !is_news(devices, counts)) return;
  if (owner_ == 0) {
    owner_ = getpid();
    descriptor_ = open(path_of(file, owner_).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (owner_ != getpid()) return; // a forked child has its parent's books
  // An earlier, longer line leaves its end after this line's end, as a line that is not JSON.
  const std::string line = report_line(profile, devices, counts, notes);
  has_failed_ = descriptor_ < 0 || pwrite(descriptor_, line.data(), line.size(), 0) < 0;
}

} // namespace memviz::rehearsal
