#include "cli/frame/highlight.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>

using memviz::cli::highlighted;
using namespace memviz::test;

namespace {

constexpr char kEscape = '\033';

/// Returns the output on a terminal, without what a terminal adds to the end of a line.
std::string on_terminal(const std::vector<std::string>& words, const std::string& kind = "xterm") {
  std::string text = TerminalProcess(words, 100, kind).wait().out;
  std::erase(text, '\r');
  return text;
}

/// Removes the sequences that change colours.
std::string plain(std::string text) {
  while (true) {
    const std::size_t begin = text.find(kEscape);
    if (begin == std::string::npos) return text;
    text.erase(begin, text.find('m', begin) + 1 - begin);
  }
}

} // namespace

TEST_CASE("what is not text does not go to a terminal") {
  const std::string file = testdata_file("training_step");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"export", file, "--format", "sqlite"},
                                                {"report", file, "-o", "-"},
                                                {"flame", file, "--format", "png", "-o", "-"}}) {
    const Outcome outcome = TerminalProcess(words, 100).wait();
    CHECK(outcome.exit_code == 2);
    CHECK(contains(outcome.out, "a terminal cannot show"));
  }
}

TEST_CASE("a terminal shows a warning once") {
  const std::string text = on_terminal({"stats", testdata_file("unbalanced")}, "dumb");
  const std::size_t first = text.find("do not balance");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("do not balance", first + 1) == std::string::npos);
}

TEST_CASE("headings, verdicts and what grew or shrank have colours") {
  CHECK(highlighted("Advice\n  - do this\n") == "\033[1mAdvice\033[0m\n  - do this\n");
  CHECK(highlighted("GPU 0 ran out of memory: 1 B\n") == "GPU 0 \033[1;31mran out of memory\033[0m: 1 B\n");
  CHECK(highlighted("  a  +1.50 GiB  -3 B") == "  a  \033[33m+1.50 GiB\033[0m  \033[36m-3 B\033[0m");
  CHECK(highlighted("memviz: x: warning: lost\n") == "memviz: x: \033[33mwarning:\033[0m lost\n");
  CHECK(highlighted("Assumed: the pool\n") == "\033[1mAssumed:\033[0m the pool\n");
  CHECK(highlighted("a: well-formed and balanced\n") == "a: \033[32mwell-formed and balanced\033[0m\n");
}

TEST_CASE("anything else stays as it is") {
  for (const char* text : {"", "\n", "a sentence.\n  below it\n", "cuda+1.5 GiB", "x-3 B", "+1", "+ 3 B", "http: no"})
    CHECK(highlighted(text) == text);
}

TEST_CASE("a terminal gets the same text in colours") {
  unsetenv("NO_COLOR");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"explain", testdata_file("oom")},
                                                {"compare", testdata_file("before"), testdata_file("after")},
                                                {"help", "flame"}}) {
    const std::string colored = on_terminal(words);
    CHECK(contains(colored, "\033[1m"));
    setenv("NO_COLOR", "1", 1);
    CHECK(on_terminal(words) == plain(colored));
    unsetenv("NO_COLOR");
    CHECK(on_terminal(words, "dumb") == plain(colored));
  }
}

TEST_CASE("pipes and files get no colours") {
  const TemporaryFolder folder;
  setenv("TERM", "xterm", 1);
  CHECK(!contains(run({"explain", testdata_file("oom")}).out, std::string(1, kEscape)));
  CHECK(!contains(on_terminal({"stats", testdata_file("oom"), "-o", folder / "text"}), std::string(1, kEscape)));
  CHECK(!contains(read_bytes(folder / "text"), std::string(1, kEscape)));
  CHECK(!contains(on_terminal({"stats", testdata_file("oom"), "--json", "-"}), std::string(1, kEscape)));
}
