#include "cli/dispatch.hpp"

#include "base/suggest.hpp"
#include "cli/completion.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/commit.hpp"
#include "cli/frame/highlight.hpp"
#include "cli/frame/messages.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "io/output_file.hpp"
#include "memviz/error.hpp"
#include "memviz/version.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <system_error>

namespace memviz::cli {

namespace {

/// Returns the version, with the commit that it was built from, if known.
std::string version_text() {
  return commit().empty() ? fmt::format("memviz {}\n", version())
                          : fmt::format("memviz {} ({})\n", version(), commit());
}

constexpr std::string_view kAllHelp = "--help=all";

/// Throws UsageError for --help with a value other than all.
bool asks_for_help(const std::string& word) {
  constexpr std::string_view kHelpValue = "--help=";
  if (word.starts_with(kHelpValue) && word != kAllHelp)
    throw UsageError(fmt::format("--help takes no value except all, which shows every option, not '{}'",
                                 word.substr(kHelpValue.size())));
  return word == "--help" || word == "-h" || word == kAllHelp;
}

HelpExtent extent_of(const std::string& word) {
  return word == kAllHelp ? HelpExtent::all : HelpExtent::first;
}

bool is_existing(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(name, ignored);
}

/// Returns the command of this name, or null.
const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(commands(), name, [](const Command& command) { return command.text.name; });
  return found == commands().end() ? nullptr : &*found;
}

/// A word of other tools, and the command that does the same here.
struct OtherWord {
  std::string_view word;
  std::string_view command;
};
constexpr std::array<OtherWord, 9> kOtherWords{{{"diff", "compare"},
                                                {"info", "stats"},
                                                {"open", "view"},
                                                {"show", "view"},
                                                {"summary", "stats"},
                                                {"svg", "flame"},
                                                {"table", "stats"},
                                                {"top", "stats"},
                                                {"tree", "flame"}}};

/// "; did you mean 'compare'?"
std::string hint_for(const std::string& name, std::span<const std::string_view> names) {
  const auto* const other = std::ranges::find(kOtherWords, name, &OtherWord::word);
  if (other != kOtherWords.end()) return fmt::format("; did you mean '{}'?", other->command);
  const std::string near = did_you_mean(name, names);
  return near.empty() ? "; the commands are " + listed(names) : near;
}

const Command& command_named(const std::string& name) {
  if (const Command* const command = find_command(name)) return *command;
  std::vector<std::string_view> names;
  for (const Command& command : commands())
    names.push_back(command.text.name);
  if (is_existing(name))
    throw UsageError(fmt::format("'{0}' is a file; a command comes first: memviz flame {0} -o mem.svg", name));
  if (name.starts_with('-')) throw UsageError(fmt::format("unknown option '{}'; a command comes first", name));
  names.emplace_back("help");
  names.emplace_back("completion");
  throw UsageError(fmt::format("unknown command '{}'{}", name, hint_for(name, names)));
}

int print_help(const std::vector<std::string>& words) {
  HelpExtent extent = HelpExtent::first;
  std::vector<std::string> names(words.begin() + 1, words.end());
  std::erase_if(names, [&](const std::string& word) {
    if (!asks_for_help(word)) return false;
    if (extent_of(word) == HelpExtent::all) extent = HelpExtent::all;
    return true;
  });
  if (names.size() > 1) throw UsageError("help takes one command");
  // A word that is not a command gets the options that all commands have.
  const bool is_general = names.empty() || names.front() == "help" || names.front() == "completion";
  print(for_output(is_general ? general_help() : command_help(command_named(names.front()), extent)));
  return kSuccess;
}

int print_completion(const std::vector<std::string>& words) {
  if (words.size() != 2) throw UsageError("completion takes a shell: bash, zsh or fish");
  print(completion_script(words[1]));
  return kSuccess;
}

/// Writes the files that are installed with the program, in their folders below share/. Used by the build; not in any
/// help.
int write_documents(const std::vector<std::string>& words) {
  if (words.size() != 2) throw UsageError("documents takes a folder");
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(words[1]) / name;
    std::filesystem::create_directories(path.parent_path());
    write_file(path.string(), text);
  };
  write("man/man1/memviz.1", general_manual());
  for (const Command& command : commands())
    write(fmt::format("man/man1/memviz-{}.1", command.text.name), command_manual(command));
  write("bash-completion/completions/memviz", completion_script("bash"));
  write("zsh/site-functions/_memviz", completion_script("zsh"));
  write("fish/vendor_completions.d/memviz.fish", completion_script("fish"));
  return kSuccess;
}

int run_named(const Command& command, const std::vector<std::string>& words) {
  const auto options_end = std::ranges::find(words, "--");
  const auto asking = std::find_if(words.begin(), options_end, asks_for_help);
  if (asking == options_end) return command.run(words);
  print(for_output(command_help(command, extent_of(*asking))));
  return kSuccess;
}

} // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      flame_command(),    compare_command(), baseline_command(), explain_command(),  leaks_command(), ranks_command(),
      timeline_command(), state_command(),   view_command(),     stats_command(),    trace_command(), report_command(),
      export_command(),   check_command(),   flops_command(),    rehearse_command(), run_command(),   attach_command()};
  return all;
}

int run_command_line(const std::vector<std::string>& words) {
  if (words.empty()) {
    say(short_usage());
    return kBadUsage;
  }
  const std::string& first = words.front();
  if (first == "help" || asks_for_help(first)) return print_help(words);
  if (first == "--version" || first == "version" || first == "-v") {
    print(version_text());
    return kSuccess;
  }
  if (first == "completion") return print_completion(words);
  if (first == "complete" && words.size() > 1 && words[1] == "--") {
    print(completions({words.begin() + 2, words.end()}));
    return kSuccess;
  }
  if (first == "documents") return write_documents(words);
  const bool has_options_alone = words.size() == 1 || words[1].starts_with('-');
  if (has_options_alone && find_command(first) == nullptr && is_existing(first))
    return run_named(brief_command(), words);
  return run_named(command_named(first), {words.begin() + 1, words.end()});
}

} // namespace memviz::cli
