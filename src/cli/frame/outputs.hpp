#pragma once

// Results -> the outputs named on the command line, none of which contains anything that --redact hides.

#include "cli/frame/command.hpp"
#include "io/output_file.hpp"
#include "io/scratch_file.hpp"
#include "memviz/export.hpp"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::cli {

/// An output, as named by an option.
struct NamedOutput {
  std::string_view option; ///< including its dashes
  const std::optional<std::string>& path;
};

/// Defines --json; `help` says what is written, and what it replaces.
template <class Options>
[[nodiscard]] Option<Options> json_option(std::optional<std::string> Options::*field, std::string_view help) {
  return verbatim({"json", '\0', "FILE", "write JSON there, - for standard output, " + std::string(help)}, field);
}

/// Runs `write`; turns an Error in it into a NamedError with the name of the output, except for ReaderGone.
void naming_output(const std::string& path, const std::function<void()>& write);

/// Checks all outputs of a command before the work begins. Throws UsageError if one would replace a snapshot that the
/// command reads, including standard input's file, or if two name the same file, and Error if one cannot be written.
void check_outputs(const CommandOptions& options, std::initializer_list<NamedOutput> outputs);
void check_outputs(const std::vector<std::string>& inputs, std::initializer_list<NamedOutput> outputs);

/// Checks an output, `what`, that is not text: throws UsageError if it would go to a terminal.
void check_binary_output(const std::string& path, std::string_view what);

/// Throws Error if `text` contains a path that --redact hid. Called for every output before the first one is written.
/// The recording itself has been searched for everything hidden; this is a second check.
void check_redacted(const FileOptions& options, std::string_view text);

/// Throws Error with the path, or "standard output", if it cannot be written; and the exceptions of check_redacted().
void write_output(const FileOptions& options, const std::string& path, std::string_view text);

/// Writes a text that is never held as a whole.
void write_output(const FileOptions& options, const std::string& path, const TextSource& source);

/// An output that is written piece by piece. After finish() it is complete; otherwise it does not exist.
class PieceOutput {
public:
  /// `-` is standard output; `options` must outlive this object. All members throw NamedError if it cannot be written,
  /// and ReaderGone; finish() also throws the exceptions of check_redacted().
  PieceOutput(const FileOptions& options, std::string path);
  void write(std::string_view piece);
  void finish();

private:
  void look_through(std::string_view text);

  const FileOptions& options_;
  std::string path_;
  std::optional<OutputFile> file_;
  /// The results for standard output with --redact, which are checked before any is written, because none can be taken
  /// back.
  std::optional<ScratchFile> waiting_;
  std::string rest_; ///< with --redact: text not searched yet, because a path may continue
};

} // namespace memviz::cli
