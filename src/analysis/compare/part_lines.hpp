#pragma once

// The lines in the parts of two ranks -> their functions, and the file that one of them has under another name.

#include "memviz/ranks.hpp"

#include <cstdint>
#include <optional>
#include <string>
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

/// A file of one part that is another part's file under another name.
struct RenamedFile {
  std::string before;
  std::string after;
};

/// Returns that file of two parts, if each has one that the other lacks, with the same functions and a similar name.
[[nodiscard]] std::optional<RenamedFile> renamed_file(const RankPart& before, const RankPart& after);

/// Returns a line of `renamed.after` as one of `renamed.before`; other lines unchanged.
[[nodiscard]] std::string line_before(std::string_view line, const RenamedFile& renamed);

} // namespace memviz
