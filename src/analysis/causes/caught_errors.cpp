#include "analysis/causes/caught_errors.hpp"

#include <algorithm>

namespace memviz {

bool is_of_search(const CallLines& error, const CallLines* next) {
  if ((error.marks & cause_mark::convolution_plan) != 0) return true;
  if ((error.marks & cause_mark::convolution) == 0 || next == nullptr) return false;
  return next->is_in_module && next->line.call == error.line.call && next->line.caller == error.line.caller;
}

void CaughtErrors::OfDevice::add(const Error& error) {
  constexpr std::size_t kMost = 4096;
  if (errors.size() == kMost) {
    constexpr std::size_t kHalf = kMost / 2;
    errors.erase(errors.begin(), errors.begin() + kHalf);
    first_open -= std::min(first_open, kHalf);
  }
  errors.push_back(error);
}

void CaughtErrors::take(DeviceId device, std::span<const Event> events) {
  OfDevice& of_device = devices_.make(device);
  for (const Event& event : events) {
    if (event.action == Action::oom) of_device.add({EventIndex(of_device.events), event.stack, std::nullopt});
    for (; event.action == Action::alloc && of_device.first_open < of_device.errors.size(); ++of_device.first_open)
      of_device.errors[of_device.first_open].next = event.stack;
    ++of_device.events;
  }
}

ByDevice<std::vector<EventIndex>> CaughtErrors::found(const FrameTable& frames) const {
  CallLineFinder finder(frames);
  ByDevice<std::vector<EventIndex>> found;
  for (const auto& [device, of_device] : devices_)
    for (const Error& error : of_device.errors)
      if (error.next && is_of_search(finder.of(error.stack), &finder.of(*error.next)))
        found.make(device).push_back(error.event);
  return found;
}

} // namespace memviz
