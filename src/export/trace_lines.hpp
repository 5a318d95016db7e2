#pragma once

// One event or annotation -> its line in a log, as text for people or as JSON. A line that is too long for memory is
// written piece by piece.

#include "analysis/trace/allocation_names.hpp"
#include "export/stack_lines.hpp"
#include "memviz/export.hpp"
#include "memviz/trace.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// An event with everything known about it.
struct TraceLine {
  DeviceId device;
  std::uint64_t index = 0;
  const Event& event;
  const std::optional<AllocationLife>& life;
  std::optional<PoolId> pool;
};

/// The lines written for a device, and the events they describe.
struct TraceCount {
  std::uint64_t shown = 0;
  std::uint64_t events = 0;
};

class TraceLines {
public:
  virtual ~TraceLines() = default;
  virtual void begin(std::string& out, DeviceId device, const TraceSurvey::Device& survey) = 0;
  virtual void add(std::string& out, const TraceLine& line) = 0;
  virtual void add(std::string& out, const Annotation& annotation) = 0;
  virtual void end(std::string& out, const TraceCount& count) = 0;
};

/// The size from which the text that was not yet written is given to `write`, in the middle of a line if need be.
inline constexpr std::size_t kTracePieceBytes = std::size_t{1} << 16U;

/// `write` receives the beginning of a long line; what is left in `out` comes after it.
[[nodiscard]] std::unique_ptr<TraceLines> text_trace_lines(const Recording& recording, const TraceOptions& options,
                                                           TextSink write);
[[nodiscard]] std::unique_ptr<TraceLines> json_trace_lines(const Recording& recording, const TraceOptions& options,
                                                           TextSink write);

/// "b7f064c000000_0", "s7f064c000000_0"
[[nodiscard]] std::string allocation_name(const AllocationLife& life);

/// Returns the name of an event's action in the file.
[[nodiscard]] std::string_view action_text(const FrameTable& frames, const Event& event);

/// Returns the whole characters in the first 4,096 bytes of `text`: one text of a file may belong to millions of
/// events.
[[nodiscard]] std::string_view bounded(std::string_view text);

} // namespace memviz
