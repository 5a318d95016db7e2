#pragma once

// Stack -> its line of the user's own code, as text. Each is computed once, because one stack may belong to millions of
// events.

#include "analysis/calls/call_lines.hpp"
#include "memviz/flame.hpp"
#include "memviz/frames.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

class StackLines {
public:
  /// Keeps each line, elided to `columns` if given.
  explicit StackLines(const FrameTable& frames, std::optional<std::size_t> columns = std::nullopt)
      : frames_(frames), columns_(columns), finder_(frames), lines_(frames.stack_count()) {}
  /// Returns "" for a stack without frames.
  [[nodiscard]] const std::string& line(StackId stack);
  [[nodiscard]] UserLineFinder& finder() { return finder_; }

private:
  const FrameTable& frames_;
  std::optional<std::size_t> columns_;
  UserLineFinder finder_;
  std::vector<std::string> lines_;
};

/// Returns the label of a line, elided to this many columns, followed by the source text if that is known.
[[nodiscard]] std::string line_text(const FrameTable& frames, const NodeKey& line, std::size_t columns);
/// Returns the text of a line followed by its callers, as many as fit into `columns`.
[[nodiscard]] std::string with_callers(std::string text, const std::vector<std::string>& callers, std::size_t columns);
/// Returns the callers of the line of the user's own code of a stack; none if it has no such line.
[[nodiscard]] std::vector<std::string> callers_of(const FrameTable& frames, CallLineFinder& calls, StackId stack);
/// Returns the label of an inner line, indented below the line.
[[nodiscard]] std::string inner_line_text(const FrameTable& frames, FrameId inner, std::size_t columns);

} // namespace memviz
