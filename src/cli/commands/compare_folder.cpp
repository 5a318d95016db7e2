#include "cli/commands/compare_folder.hpp"

#include "base/snapshot_names.hpp"
#include "cli/frame/many_files.hpp"
#include "memviz/error.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace memviz::cli {

namespace {

/// "memory/train-17-oom2.pickle.zst" -> "memory/train-17"
std::string process_of(const std::filesystem::path& file) {
  const std::string whole = file.filename().string();
  std::string name(snapshot_stem(whole));
  const std::size_t mark = name.rfind("-oom");
  if (mark != std::string::npos && name.find_first_not_of("0123456789", mark + 4) == std::string::npos)
    name.resize(mark);
  return file.parent_path() / name;
}

} // namespace

std::string recording_in(const std::string& folder, const std::string& other, const FileOptions& options) {
  std::map<std::string, std::string> latest;
  // Sorted by name, so errors come before the end, in their order up to nine.
  for (const std::string& file : files_of({folder}))
    latest[process_of(file)] = file;
  if (latest.size() == 1) return latest.begin()->second;
  throw UsageError(
      fmt::format("{} has the recordings of {} processes, and {} is a single file: compare two folders, or the "
                  "parts of both (memviz ranks FOLDER --partial FILE)",
                  shown_name(folder, options), latest.size(), shown_name(other, options)));
}

} // namespace memviz::cli
