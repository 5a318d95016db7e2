#include "story/leaks_words_gate.hpp"

#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

namespace {

std::string device_of(const DeviceLeaks& leaks, const Recording& recording) {
  return device_name(leaks.device, recording.origin.kind_of(leaks.device));
}

std::string no_steps_text(const Recording& recording, const Steps& steps) {
  const std::string reason = steps.is_guess() ? guess_note(steps) : steps_note(recording, steps);
  return fmt::format("--fail-over needs steps that are annotated or declared, and {}: set where they begin with "
                     "--steps annotation:NAME, --steps events:N or --steps time:US",
                     reason);
}

/// Returns why the gate cannot be judged on the device; "" if it can.
std::string unjudged_text(const DeviceLeaks& leaks, const Recording& recording, Gate gate, bool is_only) {
  const std::string device = device_of(leaks, recording);
  if (gate == Gate::no_steps)
    return fmt::format("{}: {}{}", device, no_steps_text(recording, leaks.steps),
                       is_only ? "" : ", or select a device with --device");
  if (gate == Gate::too_few_steps)
    return fmt::format(
        "{}: grows by {} per step, more than --fail-over allows, but {} are too few to be sure: record at least {}",
        device, format_bytes(leaks.bytes_per_step()), format_counted(leaks.steps.starts.size(), "step"),
        kFewestSureSteps);
  return "";
}

} // namespace

std::vector<std::string> exceeded_texts(const Recording& recording, const std::vector<DeviceLeaks>& devices,
                                        std::uint64_t most_bytes) {
  std::vector<std::string> texts;
  for (const DeviceLeaks& leaks : devices)
    if (gate_of(leaks, most_bytes) == Gate::exceeded)
      texts.push_back(fmt::format("{} grows by {} per step, more than the {} that --fail-over allows",
                                  device_of(leaks, recording), format_bytes(leaks.bytes_per_step()),
                                  format_bytes(most_bytes)));
  return texts;
}

void require_judged(const Recording& recording, const std::vector<DeviceLeaks>& devices, std::uint64_t most_bytes) {
  for (const DeviceLeaks& leaks : devices) {
    const std::string text = unjudged_text(leaks, recording, gate_of(leaks, most_bytes), devices.size() == 1);
    if (!text.empty()) throw Error(text);
  }
  const auto passes = [&](const DeviceLeaks& leaks) { return gate_of(leaks, most_bytes) == Gate::passes; };
  if (std::ranges::any_of(devices, passes)) return;
  if (!devices.empty()) throw Error(no_steps_text(recording, devices.front().steps));
  throw Error("--fail-over has nothing to check: no events on any device; record with "
              "torch.cuda.memory._record_memory_history()");
}

} // namespace memviz
