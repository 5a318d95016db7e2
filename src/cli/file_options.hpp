#pragma once

// The options that every command on snapshots has: how a file is read, what is hidden of it, and whether anything is
// said besides the result.

#include "cli/option.hpp"
#include "memviz/redact.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

/// The value of --max-memory or --max-size, with the words that it was given in.
struct SizeLimit {
  std::uint64_t bytes = 0;
  std::string word;
};

struct FileOptions {
  unsigned threads = 0; ///< 0: as many as are useful
  bool are_threads_given = false;
  std::optional<SizeLimit> max_memory;
  bool is_quiet = false;
  std::optional<Redact> redact;
  std::optional<std::string> redact_key;
  std::shared_ptr<Redactor> redactor; ///< of `redact`; null without it
  std::optional<std::string> kinds;   ///< a file of KindRules
  std::vector<std::string> sources;   ///< folders of SourceLines
  bool are_warnings_shown = false;    ///< by the answer, where messages go as well
  /// The messages that wait, without progress, while several files are worked on at once; null: they are printed.
  std::shared_ptr<std::vector<std::string>> waiting_messages;

  /// To standard error.
  void say(std::string_view message) const;

  /// To standard error, unless --quiet was given.
  void advise(std::string_view message) const;
};

[[nodiscard]] OptionList<FileOptions> redact_options();     ///< --redact, --redact-key
[[nodiscard]] OptionList<FileOptions> kind_rules_options(); ///< --kinds, of commands that say what kinds memory is
[[nodiscard]] OptionList<FileOptions> source_options();     ///< --source, of commands that show lines of code
[[nodiscard]] OptionList<FileOptions> general_options();    ///< --threads, --max-memory, --quiet, --help

/// After the last option: what follows from several. Throws UsageError where they contradict each other.
void settle(FileOptions& options);

/// Returns the options for one of several files that are worked on at once: with its threads, and with a redactor that
/// no other file shares. Pseudonyms are the same from all of them; outputs are searched for what this file hides only.
[[nodiscard]] FileOptions options_of_one(const FileOptions& options, unsigned threads);

/// Threads for work on several files: --threads, else as many as there are processors; one with --max-memory, which is
/// to be enough for each file alone.
[[nodiscard]] unsigned threads_for_files(const FileOptions& options);

/// --max-size and the like.
[[nodiscard]] SizeLimit parse_size_limit(std::string_view option, const std::string& word);

/// The file as the command line names it; with --redact its base name, or a pseudonym.
[[nodiscard]] std::string shown_name(const std::string& file, const FileOptions& options);

/// Returns the name in the snapshot of an annotation that the command line names: with --redact, its pseudonym.
[[nodiscard]] std::string shown_annotation(const FileOptions& options, std::string_view name);

} // namespace memviz::cli
