#include "oom_file_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace memviz::capture {
namespace {

constexpr int kMaxAttempts = 1000;

/// Comes from outside and goes into a path: digits only.
std::string rank() {
  const char* value = std::getenv("RANK");
  if (value == nullptr || *value == '\0' || std::strlen(value) > 9) return "0";
  const std::string text = value;
  const bool is_number = std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_number ? text : "0";
}

/// As 20261120T134501Z.
std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

} // namespace

ReservedFile reserve_oom_file(const std::filesystem::path& directory) {
  const std::string stem = "oom_rank" + rank() + "_pid" + std::to_string(::getpid()) + "_" + utc_time();
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    std::string name = stem;
    if (attempt > 1) name.append("_").append(std::to_string(attempt));
    std::filesystem::path path = directory / name.append(".pickle");
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor >= 0) {
      ::close(descriptor);
      return {std::move(path)};
    }
    if (errno != EEXIST) throw std::runtime_error(path.string() + ": " + std::strerror(errno));
  }
  throw std::runtime_error((directory / stem).string() + ": too many snapshots within a second");
}

} // namespace memviz::capture
