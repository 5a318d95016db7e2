#include "cli/command.hpp"
#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::cli {

namespace {

constexpr std::string_view kZshHead = R"(#compdef memviz
# zsh completion for memviz; written by `memviz completion zsh`.

# Words; what ends in a colon goes on.
_memviz_words() {
  local -a whole begun
  whole=(${argv:#*:}) begun=(${(M)argv:#*:})
  compadd -- $whole
  (($#begun)) && compadd -S '' -- $begun
}

_memviz() {
  local curcontext=$curcontext state line
  local -a commands
  typeset -A opt_args
  commands=(
)";

constexpr std::string_view kZshMiddle = R"(  )
  _arguments -C '(- *)'{-h,--help}'[how to use memviz]' '(- *)--version[which memviz this is]' \
    '1: :->command' '*:: :->argument'
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      curcontext=${curcontext%:*}-$line[1]:
      case $line[1] in
        help) _describe -t commands command commands ;;
        completion) _memviz_words bash zsh fish ;;
)";

constexpr std::string_view kZshTail = R"(      esac
      ;;
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _memviz "$@"
else
  compdef _memviz memviz
fi
)";

/// As it stands between quotes, in brackets or before a colon.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'')
      result += "'\\''";
    else if (letter == '[' || letter == ']' || letter == ':' || letter == '\\')
      result += fmt::format("\\{}", letter);
    else
      result += letter;
  }
  return result;
}

std::string action_of(const OptionText& option) {
  switch (value_kind(option)) {
  case ValueKind::none: return "";
  case ValueKind::text: return fmt::format(":{}: ", option.value);
  case ValueKind::words: {
    std::string words;
    for (const std::string_view word : option.words)
      words += ' ' + zsh_text(word);
    return fmt::format(":{}: _memviz_words{}", option.value, words);
  }
  case ValueKind::list:
    return fmt::format(":{}: _values -s , {} {}", option.value, option.value, fmt::join(option.words, " "));
  case ValueKind::files: return fmt::format(":{}:_files", option.value);
  case ValueKind::folders: return fmt::format(":{}:_files -/", option.value);
  }
  return "";
}

std::string option_spec(const OptionText& option) {
  const std::string what = fmt::format("[{}]{}", zsh_text(brief(option.text)), action_of(option));
  const std::string repeat = option.may_repeat ? "*" : "";
  if (option.letter == '\0')
    return fmt::format("'{}--{}{}{}'", repeat, option.name, option.value.empty() ? "" : "=", what);
  const std::string both = fmt::format("-{0} --{1}", option.letter, option.name);
  const std::string names = option.value.empty() ? fmt::format("{{-{},--{}}}", option.letter, option.name)
                                                 : fmt::format("{{-{}+,--{}=}}", option.letter, option.name);
  return fmt::format("'({})'{}'{}'", both, names, what);
}

std::string operand_spec(const CommandText& text) {
  if (text.takes_program) return "'(-)*:::program:_normal'";
  const std::string action = fmt::format("_files -g \"{}(-.)\"", text.file_pattern);
  if (text.takes_several) return fmt::format("'*:snapshot:{}'", action);
  std::string specs;
  for (std::size_t i = 1; i <= text.operand_count; ++i)
    specs += fmt::format("{}'{}:snapshot:{}'", i == 1 ? "" : " ", i, action);
  return specs;
}

std::string zsh_case(const Command& command) {
  std::string text = fmt::format("        {})\n          _arguments -s \\\n", command.text.name);
  for (const OptionText& option : command.options)
    text += fmt::format("            {} \\\n", option_spec(option));
  return text + fmt::format("            {}\n          ;;\n", operand_spec(command.text));
}

} // namespace

std::string zsh_completion() {
  std::string names;
  std::string cases;
  for (const Command& command : commands()) {
    names += fmt::format("    '{}:{}'\n", command.text.name, zsh_text(brief(command.text.summary)));
    cases += zsh_case(command);
  }
  names += "    'help:what a command does and its options'\n    'completion:print a completion script for a shell'\n";
  return std::string(kZshHead) + names + std::string(kZshMiddle) + cases + std::string(kZshTail);
}

} // namespace memviz::cli
