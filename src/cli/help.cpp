#include "cli/help.hpp"

#include "base/wrap.hpp"
#include "memviz/format.hpp"

#include <fmt/format.h>

namespace memviz::cli {

namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kOptionColumns = 22;

std::string option_help(const OptionText& option) {
  std::string names = option.letter == '\0' ? "    " : fmt::format("-{}, ", option.letter);
  names += fmt::format("--{}", option.name);
  names += value_help(option, std::string(option.value));
  const std::string line = fmt::format("  {:<{}}", names, kOptionColumns);
  if (names.size() < kOptionColumns) return wrapped_text(option.text, line, kColumns);
  return line + '\n' + wrapped_text(option.text, std::string(kOptionColumns + 2, ' '), kColumns);
}

std::string command_list() {
  std::string text;
  for (const Command& command : commands())
    text += wrapped_text(command.text.summary, fmt::format("  {:<10}", command.text.name), kColumns);
  return text;
}

} // namespace

std::string short_usage() {
  return "usage: memviz COMMAND [options] SNAPSHOT...\n" + command_list() +
         "Try 'memviz help', or 'memviz flame mem.pickle -o mem.svg'.\n";
}

std::string general_help() {
  return "memviz shows who holds the GPU memory. It reads PyTorch memory snapshots (the\nfiles of "
         "torch.cuda.memory._dump_snapshot), draws them and sums them up. Nothing\nin a snapshot is "
         "executed.\n\nusage: memviz COMMAND [options] SNAPSHOT...\n       memviz run|rehearse [options] -- "
         "PROGRAM...\n       memviz SNAPSHOT|LOG     a brief answer\n\nCommands\n" +
         command_list() +
         "  help      help for a command and its options: memviz help flame\n\nA SNAPSHOT is a pickle or its JSON "
         "form, plain, compressed or in an archive; - is standard input.\n\nExample\n  memviz flame mem.pickle -o "
         "mem.svg\n\nExit "
         "codes: 0 done, 1 bad data or I/O, 2 bad usage, 3 threshold exceeded.\nmemviz --version prints the version; "
         "memviz completion bash|zsh|fish prints a\nscript with which that shell completes commands and options.\n";
}

std::string command_help(const Command& command, HelpExtent extent) {
  std::string text = fmt::format("usage: memviz {} {}\n\n", command.text.name, command.text.operands);
  text += wrapped_text(command.text.text, "", kColumns);
  text += "\nOptions\n";
  std::size_t left_out = 0;
  for (const OptionText& option : command.options) {
    if (option.is_rare && extent == HelpExtent::first)
      ++left_out;
    else
      text += option_help(option);
  }
  if (left_out > 0)
    text += fmt::format("  {} more: memviz {} --help=all\n", format_counted(left_out, "option"), command.text.name);
  return text + fmt::format("\nExamples\n{}", command.text.examples);
}

} // namespace memviz::cli
