#pragma once

// Results -> the outputs that the command line names, none of which has anything in it that --redact hides.

#include "cli/command.hpp"
#include "io/output_file.hpp"
#include "io/scratch_file.hpp"
#include "memviz/export.hpp"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::cli {

/// An output as an option names it.
struct NamedOutput {
  std::string_view option; ///< with its dashes
  const std::optional<std::string>& path;
};

/// --json; `help` says what is written, and in place of what.
template <class Options>
[[nodiscard]] Option<Options> json_option(std::optional<std::string> Options::*field, std::string_view help) {
  return verbatim({"json", '\0', "FILE", "write JSON there, - for standard output, " + std::string(help)}, field);
}

/// Runs `write`; an Error in it becomes a NamedError with the name of the output, except for ReaderGone.
void naming_output(const std::string& path, const std::function<void()>& write);

/// Before the work begins, of all outputs of a command: throws UsageError when one would replace one of the snapshots
/// that the command reads, standard input's file included, or when two name the same file, and Error when one cannot be
/// written.
void check_outputs(const CommandOptions& options, std::initializer_list<NamedOutput> outputs);

/// Checks an output, `what`, that is not text: throws UsageError if it would go to a terminal.
void check_binary_output(const std::string& path, std::string_view what);

/// Throws Error where a path that --redact hid is in `text` after all. Called for every output before the first one
/// is written. What was read has been searched for everything hidden when it gets here; this is the net below.
void check_redacted(const FileOptions& options, std::string_view text);

/// Throws Error with the path, or "standard output", when it cannot be written; and what check_redacted() throws.
void write_output(const FileOptions& options, const std::string& path, std::string_view text);

/// The same of a text that is never held whole.
void write_output(const FileOptions& options, const std::string& path, const TextSource& source);

/// An output that is written piece by piece, and whole or not there after finish().
class PieceOutput {
public:
  /// `-` is standard output; `options` must outlive this. These throw NamedError when it cannot be written, and
  /// ReaderGone; finish() also throws what check_redacted() throws.
  PieceOutput(const FileOptions& options, std::string path);
  void write(std::string_view piece);
  void finish();

private:
  void look_through(std::string_view lines);

  const FileOptions& options_;
  std::string path_;
  std::optional<OutputFile> file_;
  /// The results for standard output with --redact, which are checked before any is written, because none can be
  /// taken back.
  std::optional<ScratchFile> waiting_;
  std::string line_; ///< with --redact: what has not been looked through, because a word may go on
};

} // namespace memviz::cli
