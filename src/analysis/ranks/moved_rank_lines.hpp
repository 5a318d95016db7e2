#pragma once

// The lines of ranks -> the names under which they are compared. Ranks of one job normally run one program; where some
// ran another version, lines below an edit have other numbers, or the script has another name.

#include "analysis/compare/part_lines.hpp"
#include "memviz/ranks.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace memviz {

class RankLineNames {
public:
  /// Compares the parts of the report's ranks.
  explicit RankLineNames(const JobReport& report);

  /// Returns the name of a line of a rank: in the file of the first rank, and without a number in files that moved.
  [[nodiscard]] std::string name_of(std::size_t rank, std::string_view line) const;

  /// Returns the files whose lines are compared by function.
  [[nodiscard]] const std::set<std::string, std::less<>>& moved_files() const { return moved_; }

private:
  std::map<std::size_t, RenamedFile> renamed_; ///< by rank
  std::set<std::string, std::less<>> moved_;
};

} // namespace memviz
