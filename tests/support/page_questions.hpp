#pragma once

// The questions of a page, with sensible and senseless members, as the engine takes them.

#include <string>
#include <vector>

namespace memviz::test {

/// Returns the JSON of each question of the engine, once with each set of members. Those that compare do it with file
/// 0, or with file 1.
[[nodiscard]] std::vector<std::string> page_questions();

} // namespace memviz::test
