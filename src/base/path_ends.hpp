#pragma once

// Several paths -> the shortest ends that distinguish them, so that no more of a person's folders is shown than a
// reader needs.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

/// Returns the base names of two paths; if these are equal, the shortest ends of whole names that differ:
/// "main/run.pickle" and "branch/run.pickle". For equal paths, the base name.
[[nodiscard]] std::pair<std::string, std::string> told_apart(std::string_view one, std::string_view other);

/// Returns the same for any number of paths, each with equally many names, at most `most_names`: paths that differ only
/// further up stay alike.
[[nodiscard]] std::vector<std::string> told_apart(const std::vector<std::string_view>& paths, std::size_t most_names);

} // namespace memviz
