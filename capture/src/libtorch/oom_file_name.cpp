#include "oom_file_name.hpp"

#include "process_name.hpp"

#include <array>
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
  const std::string stem = "oom_rank" + find_rank(::getenv).value_or("0") + "_" + host_name() + "_pid" +
                           std::to_string(::getpid()) + "_" + utc_time();
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
