#pragma once

// A file that the command line names -> what a command wants of it, with progress and warnings on standard error and
// the file's name in every error.

#include "cli/command.hpp"
#include "cli/messages.hpp"
#include "cli/progress.hpp"
#include "memviz/answers.hpp"
#include "memviz/source_lines.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::cli {

/// A session whose errors have no name yet; see naming_file().
class SnapshotFile {
public:
  /// Throws what Session's constructor throws. `options` must outlive this.
  SnapshotFile(const std::string& file, const FileOptions& options);
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;
  ~SnapshotFile() = default;

  [[nodiscard]] Session& session() { return session_; }
  /// Returns sentences about lines of --source that are not shown.
  [[nodiscard]] std::vector<std::string> remarks() const;

private:
  std::optional<SourceLines> sources_;
  Progress progress_;
  Session session_;
};

/// Returns how the session of a file is to be read; refers to both.
[[nodiscard]] SessionOptions session_options(const std::string& name, const FileOptions& options, Progress& progress);

/// The rules of --kinds. Throws Error with the name of their file.
[[nodiscard]] KindRules kind_rules_of(const FileOptions& options);

/// Throws Error, with the file's name, for everything that keeps it from being read as a snapshot, and UsageError where
/// it does not have the moment or the device.
[[nodiscard]] Loaded load(const std::string& file, const FileOptions& options, const Wants& wants,
                          std::optional<DeviceId> device = {});

/// The same of one of the files that a command line names, which is looked at alone: gives its warnings.
[[nodiscard]] Loaded load_file(const std::string& file, const FileOptions& options, const Wants& wants,
                               std::optional<DeviceId> device);

/// The same of the one file of a command line.
[[nodiscard]] Loaded load_one(const CommandOptions& options, const Wants& wants, std::optional<DeviceId> device);

} // namespace memviz::cli
