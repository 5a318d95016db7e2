#pragma once

// The blocks of a device in use at a moment, in the order in which they were allocated, with the facts that causes
// depend on.

#include "analysis/calls/call_lines.hpp"
#include "memviz/causes.hpp"
#include "memviz/memory_ledger.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memviz {

struct LiveBlock {
  EventIndex alloc_event; ///< none: before the first event
  std::uint64_t address = 0;
  std::uint64_t bytes = 0; ///< requested
  StackId stack;
  MemoryKind kind = MemoryKind::unknown;
  const CallLines* lines = nullptr; ///< owned by the finder

  [[nodiscard]] bool has(std::uint64_t marks) const { return (lines->marks & marks) == marks; }
  /// Whether it belongs to the model or its training, and lasts longer than a step.
  [[nodiscard]] bool is_lasting() const {
    return kind == MemoryKind::parameter || kind == MemoryKind::gradient || kind == MemoryKind::optimizer_state ||
           kind == MemoryKind::parameter_or_state || kind == MemoryKind::workspace || kind == MemoryKind::communication;
  }
};

[[nodiscard]] std::vector<LiveBlock> live_blocks(const MemoryState& state, DeviceId device, CallLineFinder& finder);

/// Adds up a cause, and finds the line with the most bytes. If nothing else calls that
/// line, its caller is the script's line.
class CauseSum {
public:
  void add(const LiveBlock& block);
  void add(const Request& request, const CallLines& lines);
  [[nodiscard]] Cause cause(CauseKind kind) const;

private:
  struct Part {
    std::uint64_t bytes = 0;
    std::optional<FrameId> script_line; ///< of the first block
  };
  void add(const CallLines& lines, std::uint64_t bytes);

  std::uint64_t bytes_ = 0;
  std::uint64_t blocks_ = 0;
  bool has_request_ = false;
  std::map<CalledLine, Part> lines_;
};

} // namespace memviz
