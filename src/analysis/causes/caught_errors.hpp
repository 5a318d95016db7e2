#pragma once

// Events -> the out-of-memory errors that cuDNN catches, which the program never sees: cuDNN tries its ways to compute
// a convolution one after the other, and goes on where there is no memory for the workspace of one.

#include "analysis/calls/call_lines.hpp"
#include "memviz/events.hpp"
#include "memviz/moment.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace memviz {

/// Whether cuDNN catches an error with these lines. Stacks without C++ show a convolution, and that the same call of
/// the model goes on. `next`: the lines of the next allocation; null if there is none.
[[nodiscard]] bool is_of_search(const CallLines& error, const CallLines* next);

/// Keeps the stacks of the last few thousand errors of a device, and of the allocation that follows each.
class CaughtErrors final : public EventSink {
public:
  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override { devices_.clear(); }
  /// Returns the errors after which the program allocated again. `frames` has the stacks of the events.
  [[nodiscard]] ByDevice<std::vector<EventIndex>> found(const FrameTable& frames) const;

private:
  struct Error {
    EventIndex event;
    StackId stack;
    std::optional<StackId> next;
  };
  struct OfDevice {
    void add(const Error& error);

    std::uint64_t events = 0;
    std::vector<Error> errors;
    std::size_t first_open = 0; ///< the first error after which nothing has been allocated yet
  };
  ByDevice<OfDevice> devices_;
};

} // namespace memviz
