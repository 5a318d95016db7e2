#include "recording/profiler_calls.hpp"

#include "base/hash_map.hpp"
#include "base/whole_number.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <tuple>

namespace memviz {
namespace {

class StackFinder {
public:
  explicit StackFinder(const ProfilerEvents& events) : events_(events) {}

  [[nodiscard]] ProfilerStacks find() {
    stacks_.of_event.assign(events_.memory.size(), kNoCall);
    std::vector<std::uint32_t> order(events_.memory.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [this](std::uint32_t i) { return events_.memory[i].thread; });
    std::size_t call = 0;
    std::uint32_t thread = 0;
    for (const std::uint32_t i : order) {
      const ProfilerMemoryEvent& event = events_.memory[i];
      if (event.thread != thread) open_.clear();
      thread = event.thread;
      for (; call < events_.calls.size() && is_before(events_.calls[call], event); ++call)
        if (events_.calls[call].thread == thread) open(events_.calls[call]);
      close_before(event.time_us);
      if (!open_.empty()) stacks_.of_event[i] = open_.back().node;
    }
    return std::move(stacks_);
  }

private:
  struct OpenCall {
    double end_us = 0;
    std::uint32_t node = kNoCall;
  };

  [[nodiscard]] static bool is_before(const ProfilerSpan& call, const ProfilerMemoryEvent& event) {
    return std::tuple(call.thread, call.begin_us) <= std::tuple(event.thread, event.time_us);
  }

  void open(const ProfilerSpan& call) {
    while (!open_.empty() && open_.back().end_us <= call.begin_us)
      open_.pop_back();
    const std::uint32_t caller = open_.empty() ? kNoCall : open_.back().node;
    const auto next = static_cast<std::uint32_t>(stacks_.nodes.size());
    const std::uint64_t key = std::uint64_t{caller} << 32U | (call.name.payload() & kNoCall);
    const auto added = nodes_.add(key, next);
    if (added.is_new) stacks_.nodes.push_back({call.name, caller});
    open_.push_back({call.end_us, added.value});
  }

  void close_before(double time_us) {
    while (!open_.empty() && open_.back().end_us < time_us)
      open_.pop_back();
  }

  const ProfilerEvents& events_;
  ProfilerStacks stacks_;
  std::vector<OpenCall> open_; ///< on the thread of the latest event, outermost first
  HashMap<std::uint64_t, std::uint32_t> nodes_;
};

/// The first parts of paths of widely used packages, except for names that programs also use ("datasets/", "ray/").
constexpr std::array<std::string_view, 22> kPythonPackages{
    "torch/",        "torchvision/", "torchaudio/", "functorch/",
    "transformers/", "accelerate/",  "lightning/",  "pytorch_lightning/",
    "deepspeed/",    "diffusers/",   "peft/",       "trl/",
    "vllm/",         "sglang/",      "numpy/",      "triton/",
    "megatron/",     "flash_attn/",  "xformers/",   "einops/",
    "timm/",         "tqdm/"};
constexpr std::array<std::string_view, 10> kStandardModules{
    "contextlib.py", "functools.py", "threading.py", "runpy.py",    "typing.py",
    "selectors.py",  "asyncio/",     "importlib/",   "concurrent/", "multiprocessing/"};

/// The profiler removes the folders that Python imports from; only names show which of them it was.
std::string with_folder(std::string_view file) {
  const auto begins = [file](std::string_view start) { return file.starts_with(start); };
  if (std::ranges::any_of(kPythonPackages, begins)) return "/site-packages/" + std::string(file);
  if (std::ranges::any_of(kStandardModules, begins)) return "/lib/python3/" + std::string(file);
  return std::string(file);
}

} // namespace

ProfilerStacks profiler_stacks(const ProfilerEvents& events) {
  return StackFinder(events).find();
}

ProfilerFrame profiler_frame(std::string_view call) {
  constexpr std::string_view kBackward = "autograd::engine::evaluate_function: ";
  if (call.starts_with(kBackward)) call.remove_prefix(kBackward.size());
  const std::size_t end = call.find("): ");
  const std::size_t open = end == std::string_view::npos ? end : call.rfind('(', end);
  if (open != std::string_view::npos) {
    const auto line = whole_number<std::uint64_t>(call.substr(open + 1, end - open - 1));
    constexpr std::size_t kSeparator = 3;
    if (line) return {std::string(call.substr(end + kSeparator)), with_folder(call.substr(0, open)), *line};
  }
  const std::size_t address = call.starts_with('<') ? call.rfind(" at 0x") : std::string_view::npos;
  if (address == std::string_view::npos) return {std::string(call), "", 0};
  return {std::string(call.substr(0, address)) + ">", "", 0};
}

} // namespace memviz
