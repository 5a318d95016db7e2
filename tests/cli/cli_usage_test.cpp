#include "cli/frame/command.hpp"
#include "cli/help.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace memviz {

TEST_CASE("the help of an option has the default that its field has") {
  std::size_t looked_at = 0;
  for (const cli::Command& command : cli::commands()) {
    for (const OptionText& option : command.options) {
      if (option.standard.empty()) continue;
      ++looked_at;
      CAPTURE(command.text.name);
      CAPTURE(option.text);
      const std::size_t word = option.text.find(option.standard);
      REQUIRE(word != std::string::npos);
      CHECK(option.text.find("(default", word) < option.text.find(';', word));
    }
  }
  CHECK(looked_at > 3);
}

TEST_CASE("help shows about ten options first, and says how many more there are") {
  for (const cli::Command& command : cli::commands()) {
    CAPTURE(command.text.name);
    const auto is_first = [](const OptionText& option) { return !option.is_rare; };
    const auto first = std::count_if(command.options.begin(), command.options.end(), is_first);
    CHECK(first >= 2); // baseline has its output and --quiet
    CHECK(first <= 14);
    const std::string text = cli::command_help(command, cli::HelpExtent::first);
    for (const OptionText& option : command.options) {
      CAPTURE(option.name);
      const std::string letter = option.letter == '\0' ? "    " : std::string("-") + option.letter + ", ";
      const bool is_shown = text.find("\n  " + letter + "--" + std::string(option.name) + " ") != std::string::npos;
      CHECK(is_shown == is_first(option));
    }
    const auto more = static_cast<std::ptrdiff_t>(command.options.size()) - first;
    const std::string rest = std::to_string(more) + (more == 1 ? " option" : " options") + " more: memviz " +
                             std::string(command.text.name) + " --help=all";
    CHECK((more == 0 || text.find(rest) != std::string::npos));
  }
}

TEST_CASE("a value that may be one of a few words has them in its table, and no other") {
  for (const cli::Command& command : cli::commands())
    for (const OptionText& option : command.options) {
      CAPTURE(option.name);
      if (option.words.empty() || option.value.find("FILE") != std::string_view::npos) continue; // any file as well
      const bool takes_program = command.text.takes_program;
      const std::vector<std::string> operands = takes_program
                                                    ? std::vector<std::string>{"--", "x"}
                                                    : std::vector<std::string>(command.text.operand_count, "x");
      for (const std::string_view word : option.words) {
        if (word.ends_with(':')) continue; // goes on
        std::vector<std::string> line = operands;
        line.insert(line.begin(), "--" + std::string(option.name) + "=" + std::string(word));
        CHECK_NOTHROW(command.parse(line));
      }
      std::vector<std::string> words = operands;
      words.insert(words.begin(), "--" + std::string(option.name) + "=no-such-word");
      CHECK_THROWS_AS(command.parse(words), UsageError);
    }
}

TEST_CASE("a command line is looked at whole before a file is opened") {
  for (const cli::Command& command : cli::commands()) {
    CAPTURE(command.text.name);
    CHECK_THROWS_AS(command.parse({"--no-such-option"}), UsageError);
    CHECK_THROWS_AS(command.parse({}), UsageError);
  }
  CHECK_NOTHROW(cli::flame_command().parse({"not there.pickle", "--at", "event:3", "--group", "pool,state"}));
}

} // namespace memviz
