#include "cli/completion.hpp"

#include "cli/frame/command.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::cli {

namespace {

// COMP_WORDBREAKS splits at '=' and ':', so the replaced word may be the end of what looks like one word.
constexpr std::string_view kBash = R"sh(_memviz() {
  local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} lines last
  mapfile -t lines < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  ((${#lines[@]})) || return
  last=${lines[-1]}
  unset 'lines[-1]'
  COMPREPLY=("${lines[@]%%$'\t'*}")
  case $last in
    :begun) compopt -o nospace 2>/dev/null ;;
    :folders) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); compopt -o filenames 2>/dev/null ;;
    :program) mapfile -t COMPREPLY < <(compgen -c -f -- "$cur") ;;
    :files*)
      mapfile -t COMPREPLY < <(compgen -f -X "!${last#:files }" -- "$cur"; compgen -d -- "$cur")
      ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      compopt -o filenames 2>/dev/null ;;
  esac
}
complete -F _memviz memviz
)sh";

constexpr std::string_view kZsh = R"sh(#compdef memviz
_memviz() {
  local -a lines offers texts
  lines=("${(@f)$($words[1] complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $lines[-1] in
    :folders) _files -/ ;;
    :program) shift $((${words[(i)--]})) words; CURRENT=$((CURRENT - ${words[(i)--]})); _normal || _files ;;
    :files*) _files -g "${lines[-1]#:files }(-.)" ;;
    *)
      offers=("${(@)lines[1,-2]%%$'\t'*}") texts=("${(@)lines[1,-2]/$'\t'/  }")
      local -a more=()
      [[ $lines[-1] == :begun ]] && more=(-S '')
      compadd $more -l -d texts -a offers ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _memviz "$@"; else compdef _memviz memviz; fi
)sh";

constexpr std::string_view kFish = R"sh(function __memviz_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] complete -- $words[2..] 2>/dev/null)
    switch $lines[-1]
        case :folders
            __fish_complete_directories
        case :program
            __fish_complete_subcommand
        case ':files*'
            __fish_complete_suffix (string replace -a '*' '' -- (string replace ':files ' '' -- $lines[-1]))
        case '*'
            printf '%s\n' $lines[1..-2]
    end
end
complete -c memviz -f -k -a '(__memviz_complete)'
)sh";

constexpr std::string_view kAnyFile = ":files *\n";

std::string offer(std::string_view word, std::string_view text) {
  return fmt::format("{}\t{}\n", word, brief(text));
}

/// Returns the beginning of a half-typed word: "--at=" of "--at=pe", "device," of "device,po".
std::string_view begun(std::string_view word, char end) {
  const std::size_t found = word.rfind(end);
  return found == std::string_view::npos ? "" : word.substr(0, found + 1);
}

/// `prefix`: the text before the value in the typed word.
std::string values_of(const OptionText& option, std::string_view prefix, std::string_view typed) {
  const bool takes_file = option.value.find("FILE") != std::string_view::npos;
  const bool begins_path = takes_file && typed.find('/') != std::string_view::npos;
  if (option.words.empty() || begins_path) {
    if (takes_file) return std::string(kAnyFile);
    return option.value == "DIR" || option.value == "FOLDER" ? ":folders\n" : ":words\n";
  }
  const std::string_view before = option.is_list ? begun(typed, ',') : "";
  bool goes_on = option.is_list;
  std::string text;
  for (const std::string_view word : option.words) {
    if (!word.starts_with(typed.substr(before.size()))) continue;
    text += fmt::format("{}{}{}\t\n", prefix, before, word);
    goes_on = goes_on || word.ends_with(':');
  }
  return text + (goes_on ? ":begun\n" : ":words\n");
}

std::string options_of(const Command& command, std::string_view typed) {
  std::string text;
  for (const OptionText& option : command.options)
    if (fmt::format("--{}", option.name).starts_with(typed))
      text += offer(fmt::format("--{}", option.name), option.text);
  return text + ":words\n";
}

std::string commands_and(std::initializer_list<std::pair<std::string_view, std::string_view>> more,
                         std::string_view typed) {
  std::string text;
  for (const Command& command : commands())
    if (command.text.name.starts_with(typed)) text += offer(command.text.name, command.text.summary);
  for (const auto& [word, summary] : more)
    if (word.starts_with(typed)) text += offer(word, summary);
  return text + ":words\n";
}

/// Returns the option that `word` names and that takes a value; nullptr if there is none.
const OptionText* option_with_value(const Command& command, std::string_view word) {
  for (const OptionText& option : command.options) {
    const bool is_named =
        word == fmt::format("--{}", option.name) || (option.letter != '\0' && word == std::string{'-', option.letter});
    if (is_named && !option.value.empty()) return &option;
  }
  return nullptr;
}

std::string completions_of(const Command& command, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end() - 1, "--") != words.end() - 1) return ":program\n";
  // Bash passes "--at=pe" as three words.
  const bool is_after_equals = words.size() >= 3 && words[words.size() - 2] == "=";
  const std::string typed = words.back() == "=" ? "" : words.back();
  const std::size_t before = words.size() - (is_after_equals ? 3 : 2);
  if (words.size() >= 2)
    if (const OptionText* option = option_with_value(command, words[before]);
        option != nullptr && (is_after_equals || option->value_alone.empty()))
      return values_of(*option, "", typed);
  const std::string_view named = begun(typed, '=');
  if (!named.empty())
    if (const OptionText* option = option_with_value(command, named.substr(0, named.size() - 1)))
      return values_of(*option, named, std::string_view(typed).substr(named.size()));
  if (typed.starts_with('-')) return options_of(command, typed);
  const bool takes_files = !command.text.takes_program && !command.text.takes_process;
  return !takes_files ? ":words\n" : fmt::format(":files {}\n", command.text.file_pattern);
}

} // namespace

std::string brief(std::string_view text) {
  for (const std::string_view end : {". ", "; ", ": ", " (", ", for example"})
    text = text.substr(0, std::min(text.size(), text.find(end)));
  return std::string(text);
}

std::string completions(const std::vector<std::string>& words) {
  if (words.empty()) return ":words\n";
  const std::string& typed = words.back();
  if (words.size() == 1) {
    if (typed.starts_with('-')) return "--help\thow to use memviz\n--version\tthe version of memviz\n:words\n";
    return commands_and({{"help", "help for a command and its options"}, {"completion", "print a completion script"}},
                        typed);
  }
  if (words[0] == "help") return commands_and({}, typed);
  if (words[0] == "completion") return "bash\t\nzsh\t\nfish\t\n:words\n";
  for (const Command& command : commands())
    if (command.text.name == words[0]) return completions_of(command, {words.begin() + 1, words.end()});
  return std::string(kAnyFile);
}

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return std::string(kBash);
  if (shell == "zsh") return std::string(kZsh);
  if (shell == "fish") return std::string(kFish);
  throw UsageError(fmt::format("completion supports bash, zsh and fish, not '{}'", shell));
}

} // namespace memviz::cli
