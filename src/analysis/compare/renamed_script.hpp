#pragma once

// Two versions of one program under two names -> that pair: profile.py and profile_fixed.py.

#include "analysis/compare/moved_files.hpp"
#include "memviz/frames.hpp"

#include <optional>
#include <string_view>

namespace memviz {

struct RenamedScript {
  std::string_view before; ///< texts of the tables of frames
  std::string_view after;
};

/// Returns the script of each side, if each has one file of the user's own code with module-level code that the other
/// side lacks and that is not in `moved`, both have the same functions, and half of the longer name is in both, at its
/// beginning and its end.
[[nodiscard]] std::optional<RenamedScript> renamed_script(const FrameTable& before, const FrameTable& after,
                                                          const MovedFiles& moved);

} // namespace memviz
