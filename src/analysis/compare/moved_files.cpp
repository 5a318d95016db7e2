#include "analysis/compare/moved_files.hpp"

#include "memviz/label.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace memviz {
namespace {

using Names = std::set<std::string_view>;
using FilesByName = HashMap<std::string_view, std::vector<std::string_view>>;

Names files_of(const FrameTable& frames) {
  std::set<StringId> ids; // first, because many frames may share one long text
  for (std::uint32_t id = 0; id < frames.frame_count(); ++id)
    ids.insert(frames.frame({id}).filename);
  Names files;
  for (const StringId id : ids)
    files.insert(frames.text(id));
  return files;
}

bool is_separator(char c) {
  return c == '/' || c == '\\';
}

/// Returns how many names, from the end, the two paths share.
std::size_t common_names(std::string_view one, std::string_view other) {
  std::size_t names = 0;
  while (!one.empty() && !other.empty()) {
    const std::string_view name = file_basename(one);
    if (name.empty() || name != file_basename(other)) break;
    ++names;
    one.remove_suffix(std::min(one.size(), name.size() + 1));
    other.remove_suffix(std::min(other.size(), name.size() + 1));
  }
  return names;
}

/// Returns, by base name, the files of `files` that `others` lacks. Names without folders give no information.
FilesByName only_in(const Names& files, const Names& others) {
  FilesByName found;
  for (const std::string_view file : files) {
    if (others.contains(file) || std::ranges::none_of(file, is_separator)) continue;
    found[file_basename(file)].push_back(file);
  }
  return found;
}

/// Returns the candidate that shares the most names; "" if two share equally many.
std::string_view nearest(std::string_view file, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  std::size_t most = 0;
  for (const std::string_view candidate : candidates) {
    const std::size_t names = common_names(file, candidate);
    if (names == most) best = "";
    if (names <= most) continue;
    best = candidate;
    most = names;
  }
  return best;
}

} // namespace

MovedFiles moved_files(const FrameTable& before, const FrameTable& after) {
  // Real programs have a few files of one name (`__init__.py`); comparing thousands with each other would take long.
  constexpr std::size_t kMostOfOneName = 200;
  const Names before_files = files_of(before);
  const Names after_files = files_of(after);
  const FilesByName gone = only_in(before_files, after_files);
  const FilesByName added = only_in(after_files, before_files);
  MovedFiles pairs;
  gone.for_each([&](std::string_view name, const std::vector<std::string_view>& files) {
    const std::vector<std::string_view>* const candidates = added.find(name);
    if (candidates == nullptr || std::max(files.size(), candidates->size()) > kMostOfOneName) return;
    for (const std::string_view file : files) {
      const std::string_view match = nearest(file, *candidates);
      if (!match.empty() && nearest(match, files) == file) pairs.add(file, match);
    }
  });
  return pairs;
}

} // namespace memviz
