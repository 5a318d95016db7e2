#pragma once

// Active memory of a device -> for each line that holds it, who calls the line. Several callers share the lines of a
// model.

#include "memviz/memory_state.hpp"
#include "memviz/tree.hpp"

#include <map>
#include <optional>

namespace memviz {

/// A line of the user's own code, and who calls it.
struct CalledLine {
  std::optional<FrameId> line; ///< the innermost line of the user's own code
  std::optional<FrameId> call; ///< the line that called the outermost torch.nn module, else `line`
  /// The next line of the user's own code: of another file, if there is one. Nullopt if it is the module level of the
  /// same file.
  std::optional<FrameId> caller;
  friend auto operator<=>(const CalledLine&, const CalledLine&) = default;
};

/// Returns, for the lines of active memory on a device as rank_user_lines() names them, the callers that account for
/// most of the line's bytes. Has no entry for other lines.
[[nodiscard]] std::map<NodeKey, CalledLine> callers_of_lines(const MemoryState& state, DeviceId device);

} // namespace memviz
