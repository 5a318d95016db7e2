#include "report.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace memviz::rehearsal {
namespace {

std::string quoted(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string result = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (code < 0x20) {
      result += "\\u00";
      result += kHex[code >> 4];
      result += kHex[code & 15];
    } else {
      result += letter;
    }
  }
  return result + "\"";
}

std::string field(const char* name, std::uint64_t value) {
  return std::string("\"") + name + "\": " + std::to_string(value);
}

// Returns the most memory of the host, without that of files, that this process had at any call; 0 if the system does
// not say.
std::uint64_t host_peak_bytes() {
  static std::uint64_t peak_bytes = 0;
  std::ifstream status("/proc/self/status");
  std::uint64_t now_kib = 0;
  for (std::string line; std::getline(status, line);)
    for (const std::string_view part : {"RssAnon:", "RssShmem:"})
      if (line.starts_with(part)) now_kib += std::strtoull(line.c_str() + part.size(), nullptr, 10);
  return peak_bytes = std::max(peak_bytes, now_kib * 1024);
}

std::string device_object(const DeviceBook& book) {
  return "{" + field("device", static_cast<std::uint64_t>(book.number)) + ", " +
         field("total_bytes", book.total_bytes) + ", " + field("context_bytes", book.context_bytes) + ", " +
         field("outside_bytes", book.outside_bytes) + ", " + field("refused_bytes", book.refused_bytes) + ", " +
         field("used_bytes", book.used_bytes) + ", " + field("peak_used_bytes", book.peak_used_bytes) + ", " +
         field("peak_all_bytes", book.peak_all_bytes) + ", " + field("most_other_bytes", book.most_other_bytes) + ", " +
         field("peak_handle_bytes", book.peak_handle_bytes) + "}";
}

} // namespace

std::string report_line(const std::string& profile, const std::vector<DeviceBook>& devices, const Counts& counts,
                        const std::set<std::string>& notes) {
  std::string line = "{" + field("pid", static_cast<std::uint64_t>(getpid())) + ", \"profile\": " + quoted(profile);
  line += ", \"devices\": [";
  for (std::size_t index = 0; index < devices.size(); ++index)
    line += (index ? ", " : "") + device_object(devices[index]);
  line += "], " + field("host_reads", counts.host_reads) + ", " + field("kernel_launches", counts.kernel_launches);
  line += ", " + field("convolutions", counts.convolutions);
  line += ", " + field("host_peak_bytes", host_peak_bytes()) + ", \"notes\": [";
  bool first = true;
  for (const std::string& note : notes) {
    line += (first ? "" : ", ") + quoted(note);
    first = false;
  }
  return line + "]}\n";
}

bool append_line(const std::string& file, const std::string& line) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  const bool written = write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  return (close(descriptor) == 0) && written;
}

} // namespace memviz::rehearsal
