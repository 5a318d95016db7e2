#include "cli/command.hpp"
#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::cli {

namespace {

constexpr std::string_view kFishHead = R"(# fish completion for memviz; written by `memviz completion fish`.

# Whether the words so far name this command and no program of another.
function __memviz_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]; and not contains -- -- $words
end

# A program and its arguments stand behind --.
function __memviz_program
    contains -- -- (commandline -opc)
end

complete -c memviz -f
complete -c memviz -n __memviz_program -F
complete -c memviz -n '__fish_is_first_token' -s h -l help -d 'how to use memviz'
complete -c memviz -n '__fish_is_first_token' -l version -d 'which memviz this is'
)";

std::string fish_text(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

std::string value_of(const OptionText& option) {
  switch (value_kind(option)) {
  case ValueKind::none: return "";
  case ValueKind::text: return " -x";
  case ValueKind::words: return fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
  case ValueKind::list: return fmt::format(" -x -a '(__fish_append , {})'", fmt::join(option.words, " "));
  case ValueKind::files: return " -r -F";
  case ValueKind::folders: return " -x -a '(__fish_complete_directories)'";
  }
  return "";
}

std::string option_line(const Command& command, const OptionText& option) {
  const std::string letter = option.letter == '\0' ? "" : fmt::format(" -s {}", option.letter);
  return fmt::format("complete -c memviz -n '__memviz_is {}'{} -l {}{} -d '{}'\n", command.text.name, letter,
                     option.name, value_of(option), fish_text(brief(option.text)));
}

/// Files whose names end so come first, the others after them.
std::string operand_line(const Command& command) {
  std::string_view suffix = command.text.file_pattern;
  while (suffix.starts_with('*'))
    suffix.remove_prefix(1);
  while (suffix.ends_with('*'))
    suffix.remove_suffix(1);
  return fmt::format("complete -c memviz -n '__memviz_is {}' -k -a '(__fish_complete_suffix {})'\n", command.text.name,
                     suffix);
}

} // namespace

std::string fish_completion() {
  std::string text(kFishHead);
  std::string names;
  for (const Command& command : commands()) {
    names += fmt::format("{} ", command.text.name);
    text += fmt::format("complete -c memviz -n '__fish_is_first_token' -a {} -d '{}'\n", command.text.name,
                        fish_text(brief(command.text.summary)));
  }
  text += fmt::format("complete -c memviz -n '__fish_is_first_token' -a help -d 'what a command does and its options'\n"
                      "complete -c memviz -n '__fish_is_first_token' -a completion -d 'print a completion script'\n"
                      "complete -c memviz -n '__memviz_is help' -a '{}'\n"
                      "complete -c memviz -n '__memviz_is completion' -a 'bash zsh fish'\n",
                      names);
  for (const Command& command : commands()) {
    for (const OptionText& option : command.options)
      text += option_line(command, option);
    if (!command.text.takes_program) text += operand_line(command);
  }
  return text;
}

} // namespace memviz::cli
