#pragma once

// A file that the command line names -> what a command wants of it, with progress and warnings on standard error and
// the file's name in every error.

#include "cli/command.hpp"
#include "cli/messages.hpp"
#include "cli/progress.hpp"
#include "memviz/session.hpp"

#include <cstdint>
#include <optional>
#include <string>

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

private:
  Progress progress_;
  Session session_;
};

/// How the session of a file is to be read; refers to both.
[[nodiscard]] SessionOptions session_options(const std::string& name, const FileOptions& options, Progress& progress);

/// What was wanted of a file.
struct Loaded : Opened {
  std::string name; ///< what messages and outputs call the file
};

/// Throws Error, with the file's name, for everything that keeps it from being read as a snapshot, and UsageError where
/// it does not have the moment.
[[nodiscard]] Loaded load(const std::string& file, const FileOptions& options, const Wants& wants);

/// The same of a file that is looked at alone: throws UsageError, too, where it does not have the device, and gives its
/// warnings.
[[nodiscard]] Loaded load_one(const CommandOptions& options, const Wants& wants, std::optional<DeviceId> device);

/// load_one() of one of the files that a command line names.
[[nodiscard]] Loaded load_file(const std::string& file, const FileOptions& options, const Wants& wants,
                               std::optional<DeviceId> device);

} // namespace memviz::cli
