#include "cli/frame/output_names.hpp"

#include "base/snapshot_names.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <system_error>

namespace memviz::cli {

namespace {

namespace fs = std::filesystem;

/// Returns the file that a path leads to, which need not exist yet.
fs::path end_of(const fs::path& path) {
  std::error_code unknown;
  return fs::weakly_canonical(fs::absolute(path, unknown), unknown);
}

/// The folder that all paths have in common.
fs::path common_folder(const std::vector<fs::path>& paths) {
  fs::path common = paths.front().parent_path();
  for (const fs::path& path : paths) {
    fs::path shared;
    for (auto [one, other] = std::pair(common.begin(), path.begin());
         one != common.end() && other != path.end() && *one == *other; ++one, ++other)
      shared /= *one;
    common = std::move(shared);
  }
  return common;
}

} // namespace

std::vector<fs::path> outputs_below(const fs::path& folder, const CommandOptions& options, std::string_view ending) {
  std::error_code unknown;
  if (fs::exists(folder, unknown) && !fs::is_directory(folder, unknown))
    throw UsageError(
        fmt::format("'{}' is not a folder, and several snapshots are written to several files", folder.string()));
  std::vector<fs::path> snapshots;
  std::map<fs::path, std::string> taken; ///< by which snapshot
  for (const std::string& file : options.operands) {
    if (file == "-") throw UsageError("standard input has no name for an output: export it separately");
    snapshots.push_back(fs::absolute(file, unknown).lexically_normal());
    taken.emplace(end_of(file), std::string());
  }
  const fs::path common = common_folder(snapshots);
  std::vector<fs::path> outputs;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const std::string& file = options.operands[i];
    const fs::path name = options.file.redactor == nullptr ? snapshots[i].lexically_relative(common)
                                                           : fs::path(shown_name(file, options.file));
    outputs.push_back(folder / name.parent_path() /
                      fmt::format("{}{}", snapshot_stem(name.filename().string()), ending));
    const auto [entry, is_free] = taken.emplace(end_of(outputs.back()), file);
    if (is_free) continue;
    const std::string path = outputs.back().string();
    if (entry->second.empty())
      throw UsageError(fmt::format("the output '{}' would replace a snapshot: name another folder", path));
    throw UsageError(
        fmt::format("'{}' and '{}' would both become '{}': export them separately", entry->second, file, path));
  }
  return outputs;
}

void make_folder_of(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) throw Error(fmt::format("{}: {}", path.parent_path().string(), error.message()));
}

} // namespace memviz::cli
