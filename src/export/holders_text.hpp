#pragma once

// The table of who holds bytes -> lines of text.

#include "memviz/explain.hpp"
#include "story/holders.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace memviz {

struct HolderTextOptions {
  std::size_t name_columns = 0;
  std::string_view head = {};                             ///< of the names; "": no heads, and each row has its noun
  const std::map<NodeKey, CalledLine>* callers = nullptr; ///< shown after a line, as many as fit
  std::size_t columns = 0;                                ///< of a row with its callers
};

/// Returns the rows of the table as indented lines, with the number of those left out; neither heading nor rest.
[[nodiscard]] std::string holders_text(const FrameTable& frames, const HolderTable& table,
                                       const HolderTextOptions& options);

} // namespace memviz
