#include "cli/commands/compare_folder.hpp"

#include "base/snapshot_names.hpp"
#include "cli/frame/many_files.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace memviz::cli {

namespace {

constexpr std::string_view kDigits = "0123456789";

/// The parts of the name of a recording.
struct RecordingName {
  std::string process;      ///< the folder, and what the recordings of one process share
  bool is_of_error = false; ///< made at an out-of-memory error, so that what followed is missing
  std::string order;        ///< of those of one process, the last has most
};

/// Removes "-20261123-184702", and "-2" after it; returns what was removed.
std::string without_time(std::string& stem) {
  constexpr std::size_t kTime = 16;
  const auto is_time_at = [&](std::size_t at) {
    return at + kTime <= stem.size() && stem[at] == '-' && stem[at + 9] == '-' &&
           stem.find_first_not_of(kDigits, at + 1) == at + 9 && stem.find_first_not_of(kDigits, at + 10) >= at + kTime;
  };
  for (std::size_t at = stem.find('-'); at != std::string::npos; at = stem.find('-', at + 1))
    if (is_time_at(at)) {
      std::string time = stem.substr(at);
      stem.resize(at);
      return time;
    }
  return "";
}

/// Removes "-oom2", "-oom" or "-oom-2" at the end; returns whether it was there.
bool without_error(std::string& stem, std::string& order) {
  const std::size_t mark = stem.rfind("-oom");
  if (mark == std::string::npos) return false;
  std::string number = stem.substr(mark + 4);
  if (number.starts_with('-')) number.erase(0, 1);
  if (number.find_first_not_of(kDigits) != std::string::npos) return false;
  order = std::string(20 - std::min<std::size_t>(20, number.size()), '0') + number;
  stem.resize(mark);
  return true;
}

/// The names of `memviz rehearse` (rehearsal-17-oom2), `memviz run` (oom-rank1-17-20261123-184702, end-..., signal-...)
/// and record() (train-oom-2).
RecordingName name_of(const std::filesystem::path& file) {
  const std::string whole = file.filename().string();
  std::string stem(snapshot_stem(whole));
  RecordingName name;
  name.is_of_error = without_error(stem, name.order);
  for (const std::string_view occasion : {"oom-", "signal-", "end-"}) {
    if (!stem.starts_with(occasion)) continue;
    std::string rest = stem.substr(occasion.size());
    const std::string time = without_time(rest);
    if (time.empty()) continue;
    stem = rest;
    name.order = time;
    name.is_of_error = occasion != "end-";
  }
  name.process = file.parent_path() / stem;
  return name;
}

/// Whether the first recording has more of the run than the second: one that was made at its end, or else the later
/// one.
bool has_more(const RecordingName& one, const RecordingName& other) {
  return std::tuple(!one.is_of_error, std::string_view(one.order)) >
         std::tuple(!other.is_of_error, std::string_view(other.order));
}

} // namespace

std::string recording_in(const std::string& folder, const std::string& other, const FileOptions& options) {
  std::map<std::string, std::pair<RecordingName, std::string>> whole;
  for (const std::string& file : files_of({folder})) {
    RecordingName name = name_of(file);
    const auto [entry, is_new] = whole.try_emplace(name.process, name, file);
    if (!is_new && has_more(name, entry->second.first)) entry->second = {std::move(name), file};
  }
  if (whole.size() == 1) return whole.begin()->second.second;
  throw UsageError(
      fmt::format("{} has the recordings of {} processes, and {} is a single file: compare two folders, or the "
                  "parts of both (memviz ranks FOLDER --partial FILE)",
                  shown_name(folder, options), whole.size(), shown_name(other, options)));
}

} // namespace memviz::cli
