#include "recorder.hpp"

#include <ATen/Context.h>
#include <c10/core/Device.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace memviz::capture {
namespace {

constexpr std::size_t kMinBytes = std::size_t{1} << 16U;

constexpr std::array<std::string_view, 2> kEnabled{"all", "state"};
constexpr std::array<std::string_view, 4> kContext{"", "state", "alloc", "all"}; // in the order of enum class Context
constexpr std::array<std::string_view, 2> kStacks{"python", "all"};
constexpr std::array<std::string_view, 9> kActions{"alloc",         "free_requested", "free_completed",
                                                   "segment_alloc", "segment_free",   "segment_map",
                                                   "segment_unmap", "snapshot",       "oom"};

std::string quoted(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words)
    list.append(list.empty() ? "\"" : ", \"").append(word).append("\"");
  return list;
}

/// The index of `value` in `words`.
std::size_t check_word(const char* option, std::string_view value, std::span<const std::string_view> words) {
  const auto place = std::find(words.begin(), words.end(), value);
  if (place != words.end()) return static_cast<std::size_t>(place - words.begin());
  throw std::invalid_argument(std::string("RecorderOptions::") + option + ": \"" + std::string(value) +
                              "\" is not one of " + quoted(words));
}

c10::Device check_device(const std::optional<c10::Device>& wanted) {
  if (!wanted) return at::hasCUDA() ? c10::Device(c10::kCUDA) : c10::Device(c10::kCPU);
  if (wanted->is_cpu()) return *wanted;
  if (!wanted->is_cuda()) {
    throw std::invalid_argument("RecorderOptions::device: " + wanted->str() + " is neither cpu nor cuda");
  }
#ifndef MEMVIZ_CAPTURE_CUDA
  throw std::runtime_error("cannot record on " + wanted->str() + ": this LibTorch has no CUDA");
#endif
  if (!at::hasCUDA()) throw std::runtime_error("cannot record on " + wanted->str() + ": there is no CUDA device");
  return *wanted;
}

} // namespace

RecordingOptions check_options(const RecorderOptions& options) {
  RecordingOptions checked;
  checked.events = check_word("enabled", options.enabled, kEnabled) == 0;
  checked.context = static_cast<Context>(check_word("context", options.context, kContext));
  checked.native_stacks = check_word("stacks", options.stacks, kStacks) == 1;
  for (const std::string& action : options.skip_actions)
    check_word("skip_actions", action, kActions);
  checked.skip_actions = options.skip_actions;
  if (options.max_entries == 0) throw std::invalid_argument("RecorderOptions::max_entries: must be at least 1");
  checked.max_entries = options.max_entries;
  if (options.max_bytes < kMinBytes) {
    throw std::invalid_argument("RecorderOptions::max_bytes: must be at least " + std::to_string(kMinBytes));
  }
  checked.max_bytes = options.max_bytes;
  std::error_code error;
  if (!options.oom_directory.empty() && !std::filesystem::is_directory(options.oom_directory, error)) {
    throw std::invalid_argument("RecorderOptions::oom_directory: " + options.oom_directory.string() +
                                " is not a directory");
  }
  checked.oom_directory = options.oom_directory;
  checked.oom_dumps = options.oom_dumps;
  checked.device = check_device(options.device);
  checked.with_cpu = options.with_cpu && checked.device.is_cuda();
  return checked;
}

} // namespace memviz::capture
