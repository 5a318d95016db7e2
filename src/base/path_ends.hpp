#pragma once

// Two paths -> as little of each as distinguishes them: no more of a person's folders than a reader needs.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

/// Their base names; where these are equal, the shortest endings of whole names that differ: "main/run.pickle" and
/// "branch/run.pickle". Of equal paths the base name.
[[nodiscard]] std::pair<std::string, std::string> told_apart(std::string_view one, std::string_view other);

/// The same of any number of paths, each with equally many names, at most `most_names`: those that differ further up
/// stay alike.
[[nodiscard]] std::vector<std::string> told_apart(const std::vector<std::string_view>& paths, std::size_t most_names);

} // namespace memviz
