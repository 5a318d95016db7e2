#pragma once

// A memory report, a recording, or both -> a SQLite file. The report's tables are those of DeepView.Profile, to the
// letter; those of the recording, and all that is said besides, are tables of memviz's own, `memviz_...`.
// docs/report.md describes them.

#include "memviz/memory_report.hpp"
#include "memviz/project_files.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

struct SqliteTables {
  bool report = true;
  bool recording = false;         ///< segments, blocks, events, stacks, frames
  std::optional<DeviceId> device; ///< whose segments, blocks and events; none: of all
};

struct SqliteSubject {
  std::string file; ///< what it is called in the tables
  std::string version;
  const MemoryState& state; ///< with kinds
  const MemoryReport& report;
  const ProjectFiles& project;
};

/// Throws Error where the stacks of entries spelled out are out of all proportion to the recording.
void check_proportion(const SqliteSubject& subject);

/// Rows go to the file as they come, in one transaction; memory does not grow with them.
class SqliteFile {
public:
  /// The file must be missing or empty. All of this throws Error where it cannot be written.
  SqliteFile(const std::string& path, const SqliteTables& tables);
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;
  ~SqliteFile();

  /// Takes the events of the recording while it is read; null where they are not wanted.
  [[nodiscard]] EventSink* events();
  /// The rest of the rows, indexes and views; then the file is whole. Not for a subject that check_proportion()
  /// refuses.
  void finish(const SqliteSubject& subject);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace memviz
