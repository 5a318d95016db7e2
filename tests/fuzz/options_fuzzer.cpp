// Any text -> a command line, one word per line: options, or a UsageError. No command runs.

#include "answers/sizes.hpp"
#include "base/suggest.hpp"
#include "cli/frame/command.hpp"
#include "cli/help.hpp"
#include "memviz/error.hpp"
#include "memviz/moment_choice.hpp"
#include "promises.hpp"
#include "require.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;

namespace {

/// Runs `parse`; a refusal must be a UsageError with a message.
template <class Parse> void check_usage(Parse parse) {
  try {
    parse();
  } catch (const UsageError& error) {
    fuzz::check_error(error, 0);
  }
}

/// A word of a command line ends at its first zero byte.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(std::string_view("\n\0", 2)), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return words;
}

void check_sizes(const std::string& word) {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
  check_usage([&] { fuzz::require(parse_bytes("max-size", word) <= kMost, "a size within bounds", word); });
  check_usage([&] { static_cast<void>(parse_limits("fail-over", word)); });
  check_usage([&] {
    const GrowthLimit limit = parse_limit("fail-over", word);
    fuzz::require(!limit.is_exceeded(1000, 1000), "no growth is never too much", word);
    fuzz::require(!limit.is_exceeded(1000, 0), "shrinking is never too much", word);
    static_cast<void>(limit.is_exceeded(0, ~std::uint64_t{0}));
  });
}

void check_options(const cli::Command& command, const std::vector<std::string>& words) {
  check_usage([&] { command.parse(words); });
  check_usage([&] {
    const cli::ParsedWords parsed = cli::parse_words(words, command.options);
    // A word may contain several options, -qh, but no more than one operand.
    fuzz::require(parsed.operands.size() <= words.size(), "no more operands than words");
    for (const cli::GivenOption& given : parsed.given)
      fuzz::require(given.option < command.options.size(), "an option that the command has");
  });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> words = words_of({reinterpret_cast<const char*>(data), size});
  for (const cli::Command& command : cli::commands()) {
    check_options(command, words);
    fuzz::require(!cli::command_help(command).empty(), "a help");
  }
  for (const std::string& word : words) {
    check_sizes(word);
    check_usage([&] { static_cast<void>(parse_moment("at", word)); });
  }
  if (words.size() >= 2) {
    fuzz::require(edit_distance(words[0], words[1]) == edit_distance(words[1], words[0]),
                  "a distance that is the same from both sides");
  }
  return 0;
}
