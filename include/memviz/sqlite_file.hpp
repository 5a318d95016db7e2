#pragma once

// A memory report, a recording, or both -> a SQLite file. The report's tables are exactly those of DeepView.Profile;
// the recording, and everything else, is in memviz's own tables, `memviz_...`. docs/report.md describes them.

#include "memviz/memory_report.hpp"
#include "memviz/project_files.hpp"

#include <memory>
#include <optional>
#include <string>

namespace memviz {

struct SqliteTables {
  bool report = true;
  bool recording = false;         ///< segments, blocks, events, stacks, frames
  std::optional<DeviceId> device; ///< the device of segments, blocks and events; nullopt: all
};

struct SqliteSubject {
  std::string file; ///< the name used in the tables
  std::string version;
  const MemoryState& state; ///< with kinds
  const MemoryReport& report;
  const ProjectFiles& project;
};

/// Throws Error if the stacks of the entries, written out, are out of all proportion to the recording.
void check_proportion(const SqliteSubject& subject);

/// Writes rows as they arrive, in one transaction; memory does not grow with them.
class SqliteFile {
public:
  /// Creates the file, which must be missing or empty. All members throw Error if it cannot be written.
  SqliteFile(const std::string& path, const SqliteTables& tables);
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;
  ~SqliteFile();

  /// Returns the sink for the recording's events while it is read; null if they are not wanted.
  [[nodiscard]] EventSink* events();
  /// Writes the remaining rows, indexes and views, which completes the file. Must not be called for a subject that
  /// check_proportion() refuses.
  void finish(const SqliteSubject& subject);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace memviz
