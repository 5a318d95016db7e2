#pragma once

// An output that SQLite's library writes as a file: a temporary file next to the target, or, for standard output and
// devices, a scratch file that is copied. Like every output it contains nothing that --redact hides.

#include "cli/frame/snapshot_file.hpp"
#include "io/output_file.hpp"
#include "io/scratch_file.hpp"
#include "memviz/sqlite_file.hpp"

#include <memory>
#include <optional>
#include <string>

namespace memviz::cli {

class SqliteOutput {
public:
  /// `-` is standard output; `options` must outlive this object. Throws NamedError if it cannot be written.
  SqliteOutput(const FileOptions& options, std::string path, const SqliteTables& tables);

  /// Returns the sink for Wants::sink, which takes the events, if the tables have them; else null.
  [[nodiscard]] EventSink* events() { return events_.get(); }

  struct Figures {
    const MemoryReport& report;
    const ProjectFiles& project;
  };
  /// Writes the rest and moves the file into place. Throws NamedError, ReaderGone, the exceptions of check_redacted(),
  /// and Error, with the snapshot's name, for a subject that check_proportion() refuses.
  void finish(const Loaded& loaded, const Figures& figures);

private:
  [[nodiscard]] const std::string& written() const { return scratch_ ? scratch_->path() : file_->beside(); }

  const FileOptions& options_;
  std::string path_;
  std::optional<OutputFile> file_;
  std::optional<NamedScratchFile> scratch_;
  std::optional<SqliteFile> sqlite_;
  std::unique_ptr<EventSink> events_;
};

} // namespace memviz::cli
