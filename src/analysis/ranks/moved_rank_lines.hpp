#pragma once

// The lines of ranks -> the names under which they are compared. Ranks of one job normally run one program; where some
// ran another version, lines below an edit have other numbers.

#include "memviz/ranks.hpp"

#include <set>
#include <string>
#include <string_view>

namespace memviz {

class RankLineNames {
public:
  /// Compares the parts of the report's ranks.
  explicit RankLineNames(const JobReport& report);

  /// Returns the name of a line: without its number in files that moved.
  [[nodiscard]] std::string name_of(std::string_view line) const;

  /// Returns the files whose lines are compared by function.
  [[nodiscard]] const std::set<std::string, std::less<>>& moved_files() const { return moved_; }

private:
  std::set<std::string, std::less<>> moved_;
};

} // namespace memviz
