#include "cli/dispatch.hpp"

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/help.hpp"
#include "cli/messages.hpp"
#include "cli/suggest.hpp"
#include "io/memory_limit.hpp"
#include "io/output_file.hpp"
#include "memviz/error.hpp"
#include "memviz/redact.hpp"
#include "memviz/svg.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>

namespace memviz::cli {

namespace {

bool asks_for_help(const std::string& word) {
  return word == "--help" || word == "-h";
}

const Command& command_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
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

/// With what every command obeys.
int run_limited(const Command& command, const Arguments& arguments) {
  static_cast<void>(threads_of(arguments)); // a mistake in it is found before a file is read
  const auto max_memory = max_memory_of(arguments);
  if (!max_memory) return command.run(arguments);
  limit_memory(*max_memory);
  const auto message = [&](const std::string& file) {
    return fmt::format("{}: needs more memory than --max-memory {} allows", file,
                       arguments.value("max-memory").value_or(""));
  };
  try {
    return command.run(arguments);
  } catch (const OutOfMemory& error) {
    throw Error(message(error.file()));
  } catch (const std::bad_alloc&) {
    std::vector<std::string> names;
    for (const std::string& file : arguments.operands())
      names.push_back(shown_name(file, arguments));
    throw Error(message(fmt::format("{}", fmt::join(names, " and "))));
  }
}

/// What goes wrong is told without what the snapshot says.
int run_redacted(const Command& command, const Arguments& arguments) {
  for (const std::string_view text : fixed_texts())
    arguments.redactor()->add_public(text);
  try {
    return run_limited(command, arguments);
  } catch (const UsageError&) {
    throw; // about the command line
  } catch (const OutOfMemory&) {
    throw;
  } catch (const ReaderGone&) {
    throw;
  } catch (const Error& error) {
    throw Error(Redactor::message(error.what()));
  }
}

int run_with_program(const Command& command, const std::vector<std::string>& words) {
  const auto separator = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> own(words.begin(), separator);
  if (std::any_of(own.begin(), own.end(), asks_for_help)) {
    print(command_help(command));
    return kSuccess;
  }
  const Arguments options = parse_arguments(own, command.options);
  if (!options.operands().empty())
    throw UsageError(fmt::format("'{}' must stand behind --: memviz {} {}", options.operands().front(), command.name,
                                 command.operands));
  if (separator == words.end() || separator + 1 == words.end())
    throw UsageError(fmt::format("{0} needs a program: memviz {0} {1}", command.name, command.operands));
  return command.run(options.with_operands({separator + 1, words.end()}));
}

int run_command(const Command& command, const std::vector<std::string>& words) {
  if (command.takes_program) return run_with_program(command, words);
  if (std::any_of(words.begin(), words.end(), asks_for_help)) {
    print(command_help(command));
    return kSuccess;
  }
  Arguments arguments = parse_arguments(words, command.options);
  const std::size_t found = arguments.operands().size();
  if (found < command.operand_count) {
    throw UsageError(fmt::format("{} needs {}: memviz {} {}", command.name,
                                 command.operand_count == 1 ? "a snapshot" : "two snapshots", command.name,
                                 command.operands));
  }
  if (found > command.operand_count) {
    throw UsageError(fmt::format("{} takes {}; '{}' is one too many", command.name,
                                 command.operand_count == 1 ? "one snapshot" : "two snapshots",
                                 arguments.operands()[command.operand_count]));
  }
  for (const std::string& operand : arguments.operands())
    if (operand.empty()) throw UsageError("the name of a snapshot is empty; - is standard input");
  arguments.set_redactor(redactor_of(arguments));
  if (arguments.redactor() == nullptr) return run_limited(command, arguments);
  return run_redacted(command, arguments);
}

} // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{flame_command(),    compare_command(), explain_command(), leaks_command(),
                                        timeline_command(), state_command(),   stats_command(),   trace_command(),
                                        export_command(),   check_command(),   rehearse_command()};
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
  return run_command(command_named(first), {words.begin() + 1, words.end()});
}

} // namespace memviz::cli
