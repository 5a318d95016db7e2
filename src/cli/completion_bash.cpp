#include "cli/command.hpp"
#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::cli {

namespace {

constexpr std::string_view kBashHead = R"(# bash completion for memviz; written by `memviz completion bash`.

# Bash has split the line at '=' and ':', too: the word under the cursor as a person sees it, and the one before.
_memviz_words() {
  cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
}

_memviz_paths() {
  mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
  compopt -o filenames 2>/dev/null
}

# Files whose names have the pattern, and folders; all files where there are none of these.
_memviz_operands() {
  mapfile -t COMPREPLY < <(compgen -f -X "!$1" -- "$cur"; compgen -d -- "$cur")
  ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  compopt -o filenames 2>/dev/null
}

# The last of several words with commas between.
_memviz_list() {
  local before=
  [[ $cur == *,* ]] && before=${cur%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
  compopt -o nospace 2>/dev/null
}

_memviz() {
  local cur prev command= options= values= list= kind= files= word program=
  COMPREPLY=()
  _memviz_words
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -- ]] && program=yes
    [[ -z $command && $word != -* ]] && command=$word
  done
  if [[ -n $program ]]; then
    mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
    return
  fi
  case $command in
)";

constexpr std::string_view kBashTail = R"(    *) options='--help --version' ;;
  esac
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
    [[ ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
  elif [[ -n $list ]]; then
    _memviz_list "$list"
  elif [[ $kind == files ]]; then
    _memviz_paths -f
  elif [[ $kind == folders ]]; then
    _memviz_paths -d
  elif [[ $kind == text ]]; then
    return
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ -n $files ]]; then
    _memviz_operands "$files"
  fi
}

complete -F _memviz memviz
)";

/// "--output|-o"
std::string pattern_of(const OptionText& option) {
  return option.letter == '\0' ? fmt::format("--{}", option.name) : fmt::format("--{}|-{}", option.name, option.letter);
}

/// What follows from the word before; "" of an option without a value.
std::string value_case(const OptionText& option) {
  const auto line = [&](const std::string& set) { return fmt::format("        {}) {} ;;\n", pattern_of(option), set); };
  switch (value_kind(option)) {
  case ValueKind::none: return "";
  case ValueKind::text: return line("kind=text");
  case ValueKind::words: return line(fmt::format("values='{}'", fmt::join(option.words, " ")));
  case ValueKind::list: return line(fmt::format("list='{}'", fmt::join(option.words, " ")));
  case ValueKind::files: return line("kind=files");
  case ValueKind::folders: return line("kind=folders");
  }
  return "";
}

std::string bash_case(const Command& command) {
  std::string options;
  std::string values;
  for (const OptionText& option : command.options) {
    options += fmt::format("{}--{}", options.empty() ? "" : " ", option.name);
    values += value_case(option);
  }
  std::string text = fmt::format("    {})\n      options='{} --help=all'\n", command.text.name, options);
  if (!command.text.takes_program) text += fmt::format("      files='{}'\n", command.text.file_pattern);
  return text + "      case $prev in\n" + values + "      esac\n      ;;\n";
}

} // namespace

std::string bash_completion() {
  std::string names;
  std::string cases;
  for (const Command& command : commands()) {
    names += fmt::format("{} ", command.text.name);
    cases += bash_case(command);
  }
  return std::string(kBashHead) +
         fmt::format("    '') [[ $cur == -* ]] && options='--help --version' || values='{}help completion' ;;\n",
                     names) +
         cases + fmt::format("    help) values='{}' ;;\n", names) + "    completion) values='bash zsh fish' ;;\n" +
         std::string(kBashTail);
}

} // namespace memviz::cli
