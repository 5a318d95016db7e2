#include "running_threads.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace memviz::capture {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMovedNanoseconds = 10'000;

/// The processor time of a thread in nanoseconds; nullopt when it does not run and is not about to.
std::optional<std::uint64_t> time_of_runner(const fs::path& task) {
  std::string stat;
  std::getline(std::ifstream(task / "stat"), stat);
  const std::size_t name_end = stat.rfind(") "); // the name itself may have any character
  if (name_end == std::string::npos || name_end + 2 >= stat.size() || stat[name_end + 2] != 'R') return std::nullopt;
  std::uint64_t nanoseconds = 0;
  std::ifstream times(task / "schedstat");
  if (!(times >> nanoseconds)) return std::nullopt;
  return nanoseconds;
}

std::map<fs::path, std::uint64_t> other_runners() {
  std::map<fs::path, std::uint64_t> times;
  std::error_code error;
  const std::string own = std::to_string(::gettid());
  for (fs::directory_iterator task("/proc/self/task", error), end; !error && task != end; task.increment(error)) {
    if (task->path().filename() == own) continue;
    if (const auto time = time_of_runner(task->path())) times.emplace(task->path(), *time);
  }
  return times;
}

} // namespace

void wait_until_threads_moved(std::chrono::milliseconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  std::map<fs::path, std::uint64_t> waiting = other_runners();
  while (!waiting.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    std::erase_if(waiting, [](const auto& task) {
      const auto time = time_of_runner(task.first);
      return !time || *time >= task.second + kMovedNanoseconds;
    });
  }
}

} // namespace memviz::capture
