#include "recorder_options.hpp"

#include <ATen/Context.h>

#ifdef MEMVIZ_CAPTURE_CUDA
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace memviz::capture {
namespace {

void check_word(std::string_view option, const std::string& value, const std::vector<std::string_view>& words) {
  if (std::find(words.begin(), words.end(), value) != words.end()) return;
  std::string message = "RecorderOptions::" + std::string(option) + ": \"" + value + "\" is not one of ";
  for (const std::string_view word : words)
    message.append(word == words.front() ? "\"" : ", \"").append(word).append("\"");
  throw std::invalid_argument(message);
}

void check_device(const std::optional<c10::Device>& device) {
  const std::string name = device ? device->str() : "cuda";
  if (device && !device->is_cuda()) {
    throw std::invalid_argument("RecorderOptions::device: " + name + " is not a CUDA device");
  }
  if (!at::hasCUDA()) throw std::runtime_error("cannot record on " + name + ": there is no CUDA device");
#ifdef MEMVIZ_CAPTURE_CUDA
  const c10::DeviceIndex count = c10::cuda::device_count();
  if (device && device->has_index() && device->index() >= count) {
    throw std::runtime_error("cannot record on " + name + ": there are " + std::to_string(count) + " CUDA devices");
  }
#endif
}

} // namespace

void check_options(const RecorderOptions& options) {
  check_word("enabled", options.enabled, {"all", "state"});
  check_word("context", options.context, {"", "state", "alloc", "all"});
  check_word("stacks", options.stacks, {"python", "all"});
  if (options.max_entries == 0) throw std::invalid_argument("RecorderOptions::max_entries: must be at least 1");
  std::error_code error;
  if (!options.oom_directory.empty() && !std::filesystem::is_directory(options.oom_directory, error)) {
    throw std::invalid_argument("RecorderOptions::oom_directory: " + options.oom_directory.string() +
                                " is not a directory");
  }
  check_device(options.device);
}

} // namespace memviz::capture
