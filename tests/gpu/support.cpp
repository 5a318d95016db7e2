#include "support.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <unistd.h>

namespace memviz::gpu {

std::filesystem::path out_folder() {
  const char* given = std::getenv("MEMVIZ_GPU_OUT");
  const std::filesystem::path folder =
      given != nullptr ? std::filesystem::path(given)
                       : std::filesystem::temp_directory_path() / ("memviz_gpu_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  return folder;
}

void report(const std::string& name, double value, const std::string& unit) {
  std::cout << name << ": " << value << " " << unit << std::endl;
  std::ofstream file(out_folder() / "figures.json", std::ios::app);
  file.precision(std::numeric_limits<double>::max_digits10); // bytes are compared with bytes
  file << R"({"name": ")" << name << R"(", "value": )" << value << R"(, "unit": ")" << unit << "\"}\n";
}

double seconds_of(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  std::int64_t resident_pages = 0;
  file >> pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

__attribute__((noinline)) void call_below(int frames, std::uint64_t path, const std::function<void()>& action) {
  if (frames <= 0) {
    action();
  } else if ((path & 1U) != 0) {
    call_below(frames - 1, path >> 1U, action);
    asm volatile("# one call site"); // after the call: no tail call, no merging of the two
  } else {
    call_below(frames - 1, path >> 1U, action);
    asm volatile("# another");
  }
}

} // namespace memviz::gpu
