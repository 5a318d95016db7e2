#pragma once

// The options of every command that reads snapshots: how a file is read, what is hidden, and whether anything is
// printed besides the result.

#include "answers/option.hpp"
#include "answers/sizes.hpp"
#include "memviz/redact.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

struct FileOptions {
  std::optional<std::string> rank; ///< of a file with several snapshots, the one that is wanted
  unsigned threads = 0;            ///< 0: as many as useful
  bool are_threads_given = false;
  std::optional<SizeLimit> max_memory;
  bool is_quiet = false;
  std::optional<Redact> redact;
  std::optional<std::string> redact_key;
  std::shared_ptr<Redactor> redactor; ///< of `redact`; null without it
  std::optional<std::string> kinds;   ///< a file of KindRules
  std::vector<std::string> sources;   ///< folders of SourceLines
  bool are_warnings_shown = false;    ///< by the answer, which goes to the same place as messages
  /// Messages held back, without progress, while several files are processed at once; null: messages are printed.
  std::shared_ptr<std::vector<std::string>> waiting_messages;

  /// Prints to standard error.
  void say(std::string_view message) const;

  /// Prints to standard error, unless --quiet was given.
  void advise(std::string_view message) const;
};

/// Documents --help, which is handled before all other options.
template <class Options> [[nodiscard]] Option<Options> help_option() {
  return {{"help", 'h', "", "this text; --help=all lists every option"},
          [](Options& /*options*/, const std::string& /*word*/) {}};
}

[[nodiscard]] OptionList<FileOptions> redact_options();      ///< --redact, --redact-key
[[nodiscard]] OptionList<FileOptions> kind_rules_options();  ///< --kinds, for commands that show kinds of memory
[[nodiscard]] OptionList<FileOptions> source_options();      ///< --source, for commands that show lines of code
[[nodiscard]] OptionList<FileOptions> rank_choice_options(); ///< --rank, for commands that read one snapshot of a file
[[nodiscard]] OptionList<FileOptions> general_options();     ///< --threads, --max-memory, --quiet, --help

/// Derives settings that follow from several options; called after the last option. Throws UsageError if options
/// contradict each other.
void settle(FileOptions& options);

/// Returns the options for one of several files that are processed at once: with its threads, and with a separate
/// redactor. Pseudonyms are the same for all of them; outputs are searched only for what this file hides.
[[nodiscard]] FileOptions options_of_one(const FileOptions& options, unsigned threads);

/// Returns the threads for several files: --threads, else the number of processors; one with --max-memory, which must
/// be enough for each file alone.
[[nodiscard]] unsigned threads_for_files(const FileOptions& options);

/// Returns the file as named on the command line; with --redact its base name, or a pseudonym.
[[nodiscard]] std::string shown_name(const std::string& file, const FileOptions& options);

/// Returns the name in the snapshot of an annotation named on the command line: with --redact, its pseudonym.
[[nodiscard]] std::string shown_annotation(const FileOptions& options, std::string_view name);

} // namespace memviz::cli
