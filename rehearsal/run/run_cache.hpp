#pragma once

// The cache of runs (--cache): what decides a run, and what it read -> the files that it left, in one compressed file
// for each question in memviz/runs of the user's cache. A run is found if its question is the same to the byte and
// everything that it read is as it was. The cache keeps at most 1 GiB: those that were used last.

#include "base/ending.hpp"
#include "run/read_files.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// The places of a run's files: the private folder of each process that memviz ran, and the folder of its snapshots.
struct RunPlaces {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path output;
};

/// The ending of a run in the cache.
struct CachedRun {
  std::int64_t at_seconds = 0; ///< when, since 1970
  std::vector<Ending> endings; ///< one for each folder
};

class RunCache {
public:
  /// Opens the user's cache. Throws Error if it has none, or if others could change its contents.
  RunCache();

  /// Puts the files of the run with this question into `places`; nullopt if there is none, it is damaged, something
  /// that it read is not as it was, or a snapshot would replace another file.
  [[nodiscard]] std::optional<CachedRun> find(const std::string& question, const RunPlaces& places) const;
  /// Keeps a run that read `reads`: log and reports in its folders, and `snapshots` of its output folder. Does
  /// nothing for files of more than 512 MiB, or if it cannot be written.
  void keep(const std::string& question, const std::vector<ReadFile>& reads, const std::vector<Ending>& endings,
            const RunPlaces& places, const std::vector<std::filesystem::path>& snapshots) const;

private:
  std::filesystem::path folder_;
};

} // namespace memviz::rehearse
