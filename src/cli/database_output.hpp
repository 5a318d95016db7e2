#pragma once

// An output that a library writes as a file of its own: to a temporary beside the target, or, for standard output and
// devices, to a scratch file that is copied. Like every output it has nothing that --redact hides.

#include "cli/file_options.hpp"
#include "io/output_file.hpp"
#include "io/scratch_file.hpp"
#include "memviz/events.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace memviz::cli {

class DatabaseOutput {
public:
  /// `-` is standard output; `options` must outlive this. Throws NamedError when it cannot be written.
  DatabaseOutput(const FileOptions& options, std::string path);

  /// Where the library writes; there is an empty file.
  [[nodiscard]] const std::string& path() const { return scratch_ ? scratch_->path() : file_->beside(); }
  /// `events` with the name of the output in its errors; null for null.
  [[nodiscard]] EventSink* naming(EventSink* events);
  /// Does a part of the writing; an Error in it gets the name of the output.
  void write(const std::function<void()>& part);
  /// Puts the finished file in its place. Throws NamedError, ReaderGone, and what check_redacted() throws.
  void finish();

private:
  const FileOptions& options_;
  std::string path_;
  std::optional<OutputFile> file_;
  std::optional<NamedScratchFile> scratch_;
  std::unique_ptr<EventSink> events_;
};

} // namespace memviz::cli
