#include "cli/dispatch.hpp"

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/messages.hpp"
#include "memviz/error.hpp"
#include "text/suggest.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace memviz::cli {

namespace {

bool asks_for_help(const std::string& word) {
  return word == "--help" || word == "-h";
}

const Command& command_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.text.name == name) return command;
    names.push_back(command.text.name);
  }
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored))
    throw UsageError(fmt::format("'{0}' is a file; a command comes first: memviz flame {0} -o mem.svg", name));
  if (name.starts_with('-')) throw UsageError(fmt::format("unknown option '{}'; a command comes first", name));
  names.emplace_back("help");
  throw UsageError(fmt::format("unknown command '{}'{}{}", name, did_you_mean(name, names),
                               did_you_mean(name, names).empty() ? "; the commands are " + listed(names) : ""));
}

int print_help(const std::vector<std::string>& words) {
  if (words.size() > 2) throw UsageError("help takes one command");
  print(words.size() == 2 ? command_help(command_named(words[1])) : general_help());
  return kSuccess;
}

int run_named(const Command& command, const std::vector<std::string>& words) {
  const auto own_end = command.text.takes_program ? std::find(words.begin(), words.end(), "--") : words.end();
  if (std::none_of(words.begin(), own_end, asks_for_help)) return command.run(words);
  print(command_help(command));
  return kSuccess;
}

} // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{flame_command(),    compare_command(), explain_command(), leaks_command(),
                                        timeline_command(), state_command(),   stats_command(),   trace_command(),
                                        report_command(),   export_command(),  check_command(),   flops_command(),
                                        rehearse_command(), run_command()};
  return all;
}

int run_command_line(const std::vector<std::string>& words) {
  if (words.empty()) {
    say(short_usage());
    return kBadUsage;
  }
  const std::string& first = words.front();
  if (first == "help" || asks_for_help(first)) return print_help(words);
  if (first == "--version") {
    print("memviz " MEMVIZ_VERSION "\n");
    return kSuccess;
  }
  return run_named(command_named(first), {words.begin() + 1, words.end()});
}

} // namespace memviz::cli
