#pragma once

// The lines in the parts of ranks -> their functions, files and numbers.

#include "memviz/ranks.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace memviz {

/// "train job.py:64"
struct NumberedLine {
  std::string_view function; ///< "train job.py"
  std::string_view file;     ///< "job.py"
  std::uint64_t number = 0;
};

/// Returns the parts of a line; nullopt for one without a number.
[[nodiscard]] std::optional<NumberedLine> numbered_line(std::string_view line);

/// Calls `visit` with the lines that a part holds, then with those that it held at other moments.
template <class Visit> void for_each_line(const RankPart& part, Visit visit) {
  for (const LineMemory& held : part.held)
    visit(held);
  for (const LineMemory& other : part.not_held)
    visit(other);
}

/// "train job.py:64" -> "train job.py"; other lines unchanged.
[[nodiscard]] std::string_view function_of_line(std::string_view line);

} // namespace memviz
