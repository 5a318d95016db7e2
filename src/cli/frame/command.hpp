#pragma once

// A command as the command line knows it: its file has a struct of its options, the list of options that sets it, and
// the function that takes it.

#include "answers/option.hpp"
#include "cli/frame/file_options.hpp"
#include "cli/frame/words.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kBadData = 1;
inline constexpr int kBadUsage = 2;
inline constexpr int kOverThreshold = 3;

/// The options that precede those of every command.
struct CommandOptions {
  std::vector<std::string> operands;
  FileOptions file;
  bool has_several = false;  ///< several operands, or a folder; see find_files()
  std::string out_of_memory; ///< the end of the message for memory over the limit; empty if there is no limit
};

struct CommandText {
  std::string_view name;
  std::string_view operands; ///< as in "memviz NAME OPERANDS"
  std::size_t operand_count = 1;
  std::string_view summary; ///< half a line, for the list of commands
  std::string_view text;    ///< what it does, for its own help
  std::string_view examples;
  std::string_view file_pattern = "*.pickle*"; ///< the usual kind of operands, for shells
  bool takes_several = false;                  ///< more operands are processed one after the other
  std::string_view stands_alone = {};          ///< the option with which it takes no operands
  bool takes_program = false;                  ///< the operands are a program and its arguments: everything after --
  bool takes_process = false;                  ///< the operand is a process id
};

struct Command {
  CommandText text;
  std::vector<OptionText> options;
  /// Throws UsageError for words with which it would not run.
  std::function<void(const std::vector<std::string>& words)> parse;
  /// Returns the exit code; throws the exceptions of parse(), and the errors of its work.
  std::function<int(const std::vector<std::string>& words)> run;
};

/// Parses the words after the command's name, with as many operands as it takes. Throws UsageError.
[[nodiscard]] ParsedWords words_of_command(const CommandText& text, const std::vector<OptionText>& options,
                                           const std::vector<std::string>& words);

/// Runs `work` within --max-memory, or a limit that follows from the sizes of the operands. A command that runs a
/// program has no limit by default, because the program would inherit it.
[[nodiscard]] int run_within_limits(const CommandText& text, CommandOptions& options, const std::function<int()>& work);

/// Runs `work` with the messages of every command: about the memory limit, and with --redact without quotes of the
/// file.
[[nodiscard]] int run_with_messages(const CommandOptions& options, const std::function<int()>& work);

template <class Options> [[nodiscard]] std::vector<OptionText> texts_of(const OptionList<Options>& options) {
  std::vector<OptionText> texts;
  for (const Option<Options>& option : options)
    texts.push_back(option.text);
  return texts;
}

/// Returns the options that end the list of every command that reads a snapshot: how it is read, and what is hidden.
template <class Options> [[nodiscard]] OptionList<Options> snapshot_options() {
  return within<Options>(&CommandOptions::file,
                         joined<FileOptions>({rank_choice_options(), redact_options(), general_options()}));
}

/// Returns the options of commands that show kinds of memory.
template <class Options> [[nodiscard]] OptionList<Options> kinds_options() {
  return within<Options>(&CommandOptions::file, kind_rules_options());
}

/// Returns the options of commands that show lines of code.
template <class Options> [[nodiscard]] OptionList<Options> line_options() {
  return within<Options>(&CommandOptions::file, source_options());
}

/// Throws UsageError.
template <class Options>
[[nodiscard]] Options options_of(const CommandText& text, const OptionList<Options>& list,
                                 const std::vector<std::string>& words) {
  ParsedWords parsed = words_of_command(text, texts_of(list), words);
  Options options;
  options.operands = std::move(parsed.operands);
  for (const GivenOption& given : parsed.given)
    list[given.option].set(options, given.word);
  settle(options.file);
  return options;
}

/// A command that takes Options, which begin with CommandOptions.
template <class Options>
[[nodiscard]] Command command(const CommandText& text, const OptionList<Options>& list, int (*run)(const Options&)) {
  return {text, texts_of(list),
          [text, list](const std::vector<std::string>& words) {
            static_cast<void>(options_of<Options>(text, list, words));
          },
          [text, list, run](const std::vector<std::string>& words) {
            auto options = options_of<Options>(text, list, words);
            return run_within_limits(text, options, [&] { return run(options); });
          }};
}

[[nodiscard]] Command flame_command();
[[nodiscard]] Command compare_command();
[[nodiscard]] Command baseline_command();
[[nodiscard]] Command state_command();
[[nodiscard]] Command stats_command();
[[nodiscard]] Command export_command();
[[nodiscard]] Command timeline_command();
[[nodiscard]] Command report_command();
[[nodiscard]] Command trace_command();
[[nodiscard]] Command leaks_command();
[[nodiscard]] Command check_command();
[[nodiscard]] Command ranks_command();
[[nodiscard]] Command explain_command();
/// Returns the command for a file without one: a brief answer, and the commands that say more. It is in no list.
[[nodiscard]] Command brief_command();
[[nodiscard]] Command rehearse_command();
[[nodiscard]] Command run_command();
[[nodiscard]] Command attach_command();
[[nodiscard]] Command flops_command();
[[nodiscard]] Command view_command();

/// Returns all commands, in the order of the help.
[[nodiscard]] const std::vector<Command>& commands();

} // namespace memviz::cli
