#pragma once

// How much text a log is, before it is made: a deep stack may stand beside thousands of events, and is spelled out at
// each.

#include "export/text_limit.hpp"
#include "export/trace_lines.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

class TraceSize {
public:
  /// The references must outlive this object. `has_stacks`: every frame is written.
  TraceSize(const Recording& recording, TraceLines& lines, bool has_stacks);

  /// These throw Error where all that was added is out of proportion to the file.
  void add(std::uint64_t bytes) { limit_.add(bytes); }
  void add_stack(StackId stack) { limit_.add(stack_bytes(stack)); }

  /// With --stacks what the frames of a stack take; else 0.
  [[nodiscard]] std::uint64_t stack_bytes(StackId stack);
  [[nodiscard]] std::uint64_t most_bytes() const { return limit_.most_bytes(); }

private:
  [[nodiscard]] std::uint64_t frame_bytes(FrameId frame);

  const FrameTable& frames_;
  TraceLines& lines_;
  bool has_stacks_;
  TextLimit limit_;
  std::vector<std::optional<std::uint64_t>> stack_bytes_;
  std::vector<std::uint64_t> frame_bytes_; ///< 0: not known yet
};

} // namespace memviz
