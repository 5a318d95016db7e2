#include "base/path_ends.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace memviz {
namespace {

constexpr std::string_view kSeparators = "/\\";

/// Returns the last `names` names of a path, or all of it.
std::string_view ending(std::string_view path, std::size_t names) {
  std::size_t begin = path.size();
  for (; names > 0; --names) {
    if (begin == 0) return path;
    const std::size_t separator = path.find_last_of(kSeparators, begin - 1);
    if (separator == std::string_view::npos) return path;
    begin = separator;
  }
  return begin == path.size() ? path : path.substr(begin + 1);
}

std::size_t count_different(std::vector<std::string_view> texts) {
  std::ranges::sort(texts);
  return static_cast<std::size_t>(std::distance(texts.begin(), std::unique(texts.begin(), texts.end())));
}

} // namespace

std::vector<std::string> told_apart(const std::vector<std::string_view>& paths, std::size_t most_names) {
  const std::size_t different = count_different(paths);
  std::vector<std::string_view> endings(paths.size());
  for (std::size_t names = 1; names <= most_names; ++names) {
    std::ranges::transform(paths, endings.begin(), [&](std::string_view path) { return ending(path, names); });
    if (count_different(endings) == different) break;
  }
  return {endings.begin(), endings.end()};
}

std::pair<std::string, std::string> told_apart(std::string_view one, std::string_view other) {
  const std::vector<std::string> both = told_apart({one, other}, std::numeric_limits<std::size_t>::max());
  return {both[0], both[1]};
}

} // namespace memviz
