#pragma once

// A file named on the command line -> what a command wants of it, with progress and warnings on standard error and the
// file's name in every error.

#include "cli/frame/command.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/progress.hpp"
#include "memviz/answers.hpp"
#include "memviz/source_lines.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz::cli {

/// A session whose errors do not name the file yet; see naming_file().
class SnapshotFile {
public:
  /// Throws the exceptions of Session's constructor. `options` must outlive this object. `takes_text`: see
  /// SessionOptions.
  SnapshotFile(const std::string& file, const FileOptions& options, bool takes_text = false);
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;
  ~SnapshotFile() = default;

  [[nodiscard]] Session& session() { return session_; }
  /// Returns sentences about lines of --source that are not shown.
  [[nodiscard]] std::vector<std::string> remarks() const;

private:
  std::optional<SourceLines> sources_;
  ProgressLine progress_;
  Session session_;
};

/// Returns how the session of a file is to be read; keeps references to both.
[[nodiscard]] SessionOptions session_options(const std::string& name, const FileOptions& options,
                                             ProgressLine& progress);

/// Reads the rules of --kinds. Throws Error with the name of their file.
[[nodiscard]] KindRules kind_rules_of(const FileOptions& options);
/// Returns the wants with these rules.
[[nodiscard]] Wants with_kind_rules(Wants wants, const FileOptions& options);

/// Reads the file. Throws Error, with its name, for everything that prevents reading it as a snapshot, and UsageError
/// if it does not have the moment or the device.
[[nodiscard]] Loaded load(const std::string& file, const FileOptions& options, const Wants& wants,
                          std::optional<DeviceId> device = {});

/// Reads the same from a file that is open, with the rules in `wants`; prints its warnings. Errors do not name the
/// file.
[[nodiscard]] Loaded load_file(SnapshotFile& snapshot, const FileOptions& options, const Wants& wants,
                               std::optional<DeviceId> device);

/// Reads the same from one of the files of a command line that is processed alone: prints its warnings.
[[nodiscard]] Loaded load_file(const std::string& file, const FileOptions& options, const Wants& wants,
                               std::optional<DeviceId> device);

/// Reads the same from the only file of a command line.
[[nodiscard]] Loaded load_one(const CommandOptions& options, const Wants& wants, std::optional<DeviceId> device);

} // namespace memviz::cli
