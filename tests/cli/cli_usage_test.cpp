#include "cli/command.hpp"
#include "cli/dispatch.hpp"
#include "cli/help.hpp"
#include "memviz/error.hpp"
#include "memviz/version.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <doctest/doctest.h>

namespace memviz {

using test::contains;
using test::run;
using test::testdata_file;

namespace {

using Words = std::vector<std::string>;

/// A mistake on the command line and what is said about it.
struct Mistake {
  Words words;
  std::string message;
};

/// What a command line of such words is told, without a process for each.
std::string mistake_in(const Words& words) {
  try {
    const int exit_code = cli::run_command_line(words);
    return "no mistake, exit code " + std::to_string(exit_code);
  } catch (const UsageError& error) {
    return error.what();
  }
}

void check_mistakes(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes)
    CHECK(mistake_in(mistake.words) == mistake.message);
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    widest = std::max(widest, end - begin);
    begin = end + 1;
  }
  return widest;
}

} // namespace

TEST_CASE("memviz alone gives a short usage and exit code 2") {
  const auto outcome = run({});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("usage: memviz COMMAND"));
}

TEST_CASE("memviz --version prints name and version") {
  const auto outcome = run({"--version"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with("memviz " + std::string(version())));
  CHECK(outcome.out.ends_with('\n'));
  // With the commit, where the build knows it: "memviz 0.2.0 (1a2b3c4d5e)".
  const bool has_commit = outcome.out.find(" (") != std::string::npos && outcome.out.ends_with(")\n");
  CHECK((has_commit || outcome.out == "memviz " + std::string(version()) + "\n"));
}

TEST_CASE("every picture and every JSON says which memviz made it") {
  const std::string file = testdata_file("oom");
  const std::string program = (test::testdata() / "flops" / "2.15" / "nanogpt_table.pt2").string();
  const auto output_of = [](Words words, const char* option) {
    words.insert(words.end(), {option, "-", "-q"});
    return run(words).out;
  };
  const std::string number(version());
  for (const Words& words : {Words{"flame", file}, Words{"state", file}, Words{"timeline", file},
                             Words{"explain", file}, Words{"compare", file, file}, Words{"flops", program}}) {
    CAPTURE(words.front());
    CHECK(output_of(words, "-o").find(">drawn by memviz " + number + "<") != std::string::npos);
    CHECK(output_of(words, "--json").starts_with("{\n  \"schema\": \"memviz."));
    CHECK(output_of(words, "--json").find("\n  \"memviz\": \"" + number + "\",\n") != std::string::npos);
  }
}

TEST_CASE("help lists the commands, in every spelling") {
  const std::string text = run({"help"}).out;
  for (const char* part : {"  flame ", "  compare ", "  stats ", "  trace ", "  leaks ", "  export ", "Exit codes",
                           "memviz flame mem.pickle"})
    CHECK(text.find(part) != std::string::npos);
  CHECK(run({"--help"}).out == text);
  CHECK(run({"-h"}).out == text);
  CHECK(run({"help"}).exit_code == 0);
}

TEST_CASE("the help of a command names each option and has an example") {
  const Words tree{"--group", "--frames", "--focus", "--hide", "--device", "--view", "--at", "--quiet", "--help"};
  const Words picture{"--output", "--upward", "--no-fold", "--max-size"};
  const auto check = [](const std::string& command, std::initializer_list<Words> lists) {
    const std::string text = run({command, "--help=all"}).out;
    const std::string most = run({"help", command}).out;
    CHECK(run({command, "--help"}).out == most);
    CHECK(run({command, "-h", "--vew"}).out == most);
    CHECK(text.size() >= most.size());
    CHECK(widest_line(most) <= 80);
    CHECK(text.starts_with("usage: memviz " + command + " "));
    CHECK(text.find("Examples\n  memviz " + command) != std::string::npos);
    CHECK(widest_line(text) <= 80);
    for (const Words& options : lists) {
      for (const std::string& option : options) {
        CAPTURE(option);
        CHECK(text.find(option + " ") != std::string::npos);
      }
    }
  };
  check("flame", {tree, picture, {"--color"}});
  check("compare", {tree, picture, {"--match", "--fail-over", "--gate", "--markdown", "--json"}});
  check("stats", {{"--json", "--output", "--device", "--at", "--quiet", "--help"}});
  check("trace", {{"--from", "--to", "--action", "--address", "--stream", "--min-size", "--stack", "--stacks", "--time",
                   "--format", "--output", "--device", "--threads", "--max-memory", "--quiet", "--help"}});
  check("leaks", {{"--steps", "--capacity", "--fail-over", "--json", "--output", "--device", "--quiet", "--help"}});
  check("export", {tree, {"--format", "--output"}});
  check("check", {{"--structure", "--json", "--output", "--threads", "--max-memory", "--quiet", "--help"}});
}

TEST_CASE("help shows about ten options first, and says how many more there are") {
  for (const cli::Command& command : cli::commands()) {
    CAPTURE(command.text.name);
    const auto is_first = [](const cli::OptionText& option) { return !option.is_rare; };
    const auto first = std::count_if(command.options.begin(), command.options.end(), is_first);
    CHECK(first >= 4);
    CHECK(first <= 14);
    const std::string text = cli::command_help(command, cli::HelpExtent::first);
    for (const cli::OptionText& option : command.options) {
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
    for (const cli::OptionText& option : command.options) {
      CAPTURE(option.name);
      if (option.words.empty()) continue;
      std::vector<std::string> words(command.text.takes_program ? 0 : command.text.operand_count, "x");
      for (const std::string_view word : option.words) {
        if (word.ends_with(':')) continue; // goes on
        std::vector<std::string> line = words;
        line.insert(line.end(), {"--" + std::string(option.name), std::string(word)});
        CHECK_NOTHROW(command.parse(line));
      }
      words.insert(words.end(), {"--" + std::string(option.name), "no-such-word"});
      CHECK_THROWS_AS(command.parse(words), UsageError);
    }
}

TEST_CASE("help of help is that of the program, and help takes the option that shows all") {
  CHECK(run({"help", "help"}).out == run({"help"}).out);
  CHECK(run({"help", "help"}).exit_code == 0);
  CHECK(run({"help", "flame", "--help=all"}).out == run({"flame", "--help=all"}).out);
}

TEST_CASE("no word is suggested for a short one that has little in common with it") {
  const std::string file = testdata_file("oom");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"stats", file, "--at", "foo"}, {"flame", file, "-o", "-", "--group", "foo"}}) {
    const auto outcome = run(words);
    CHECK(outcome.exit_code == 2);
    CHECK_FALSE(contains(outcome.err, "did you mean"));
  }
}

TEST_CASE("a mistake ends in one line on standard error and exit code 2") {
  const auto outcome = run({"flme"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "memviz: unknown command 'flme'; did you mean 'flame'?\n");
}

TEST_CASE("a command line is looked at whole before a file is opened") {
  for (const cli::Command& command : cli::commands()) {
    CAPTURE(command.text.name);
    CHECK_THROWS_AS(command.parse({"--no-such-option"}), UsageError);
    CHECK_THROWS_AS(command.parse({}), UsageError);
  }
  CHECK_NOTHROW(cli::flame_command().parse({"not there.pickle", "--at", "event:3", "--group", "pool,state"}));
}

TEST_CASE("a mistake in a command") {
  check_mistakes({
      {{"flme"}, "unknown command 'flme'; did you mean 'flame'?"},
      {{"comapre"}, "unknown command 'comapre'; did you mean 'compare'?"},
      {{"help", "exprot"}, "unknown command 'exprot'; did you mean 'export'?"},
      {{"dance"},
       "unknown command 'dance'; the commands are flame, compare, explain, leaks, timeline, state, stats, trace, "
       "report, export, check, flops, rehearse, run, help or completion"},
      {{"--flame"}, "unknown option '--flame'; a command comes first"},
      {{testdata_file("oom")},
       "'" + testdata_file("oom") + "' is a file; a command comes first: memviz flame " + testdata_file("oom") +
           " -o mem.svg"},
  });
}

TEST_CASE("a mistake in an option") {
  check_mistakes({
      {{"flame", "x", "--vew", "memory"}, "unknown option '--vew'; did you mean '--view'?"},
      {{"flame", "x", "--out", "y"}, "unknown option '--out'; did you mean '--output'?"},
      {{"stats", "x", "-x"}, "unknown option '-x'; --help lists the options"},
      {{"flame", "x", "-o"}, "--output needs a value: --output FILE"},
      {{"flame", "x", "--quiet=3"}, "--quiet takes no value"},
      {{"flame", "x", "-o", "a", "--output", "b"}, "--output is given twice"},
  });
}

TEST_CASE("a mistake in the value of an option") {
  const auto with = [](const std::string& option, const std::string& value) {
    return Words{"flame", "x", "-o", "-", option, value};
  };
  check_mistakes({
      {with("--view", "segment"), "--view must be memory or segments, not 'segment'; did you mean 'segments'?"},
      {with("--frames", "usr"), "--frames must be filtered, user, python or all, not 'usr'; did you mean 'user'?"},
      {with("--group", "pool,steam"), "--group must be device, pool, stream, segment, state, annotation, metadata, "
                                      "compile or kind, not 'steam'; did you mean "
                                      "'stream'?"},
      {{"state", "x", "-o", "x.svg", "--color", "lines"},
       "--color must be origin, line or kind, not 'lines'; did you mean 'line'?"},
      {{"timeline", "x", "-o", "x.svg", "--color", "kin"},
       "--color must be origin, line or kind, not 'kin'; did you mean 'kind'?"},
      {with("--group", "state,pool,state"), "--group names 'state' twice"},
      {with("--group", "state,"),
       "--group must be device, pool, stream, segment, state, annotation, metadata, compile or kind, not ''"},
      {with("--device", "GPU0"), "--device must be a number, host or all, not 'GPU0'"},
      {with("--device", "-1"), "--device must be a number, host or all, not '-1'"},
      {with("--max-size", "2 MB"), "--max-size must be a size such as 500K, 2M or 1.5GiB, not '2 MB'"},
      {with("--max-size", "-2M"), "--max-size must be a size such as 500K, 2M or 1.5GiB, not '-2M'"},
      {with("--max-memory", "lots"), "--max-memory must be a size such as 500K, 2M or 1.5GiB, not 'lots'"},
      {with("--max-memory", "15M"), "--max-memory must be at least 16M, not '15M'"},
      {with("--threads", "0"), "--threads must be a number from 1 to 64, not '0'"},
      {with("--at", "edn"),
       "--at must be auto, end, peak, oom, event:N, time:US or annotation:NAME, not 'edn'; did you "
       "mean 'end'?"},
      {with("--at", "event:first"), "--at event:<N> needs the index of an event (-1 is before the first), not 'first'"},
      {with("--at", "time:-5"), "--at time:<N> needs microseconds since 1970, not '-5'"},
      {{"export", "x", "--format", "json", "--view", "memory", "--group", "state"},
       "--group and --view exclude each other"},
      {{"compare", "a", "b", "--match", "lines"},
       "--match must be auto, line or function, not 'lines'; did you mean 'line'?"},
      {{"compare", "a", "b", "--gate", "peak"}, "--gate needs --fail-over, which says how much growth is too much"},
      {{"compare", "a", "b", "--fail-over", "2%", "--gate", "reservd"},
       "--gate must be peak, end or reserved, not 'reservd'; did you mean 'reserved'?"},
      {{"compare", "a", "b", "--json", "-", "--markdown", "-"}, "--json and --markdown name the same output"},
      {{"compare", "a", "b", "-o", "-", "--markdown", "-"}, "-o and --markdown name the same output"},
      {{"compare", "a", "b", "--fail-over", "two%"},
       "--fail-over must be a size or a percentage such as 500M, 1GiB or 2%, not 'two%'"},
      {{"compare", "a", "b", "--fail-over", "lots"},
       "--fail-over must be a size or a percentage such as 500M, 1GiB or 2%, not 'lots'"},
      {with("--at", "1234"),
       "--at must be auto, end, peak, oom, event:N, time:US or annotation:NAME, not '1234'; did you mean "
       "'event:1234'?"},
      {with("--zoom", "5"), "--zoom must be a number from 0.1 to 4, not '5'"},
      {{"flame", "x", "-o", "mem.jpg"},
       "'mem.jpg' ends in .jpg, which memviz does not write: .svg, .png or .pdf (or say --format)"},
      {{"flame", "x", "-o", ""}, "the name of an output is empty; - is standard output"},
      {{"timeline", "x", "-o", "-", "--from", "oom"}, "--from must be the index of an event, such as 1234, not 'oom'"},
  });
}

TEST_CASE("an expression that is not one is a mistake in an option") {
  const auto outcome = run({"flame", testdata_file("oom"), "-q", "-o", "-", "--focus", "("});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err.starts_with("memviz: --focus '(' is not a regular expression"));
}

TEST_CASE("a missing or extra operand") {
  check_mistakes({
      {{"flame"}, "flame needs a snapshot: memviz flame SNAPSHOT -o FILE [options]"},
      {{"flame", "x"}, "flame needs an output: add -o mem.svg, or -o - for standard output"},
      {{"stats", ""}, "the name of a snapshot is empty; - is standard input"},
      {{"state", "a", "b", "-o", "x"}, "state takes one snapshot; 'b' is one too many"},
      {{"stats", "-", "a", "-"}, "only one of the snapshots can be standard input"},
      {{"explain", "a", "b", "-o", "x.svg"}, "-o draws one snapshot; without it, explain takes several"},
      {{"timeline", "x"}, "timeline needs an output: add -o timeline.svg, or -o - for standard output"},
      {{"report", "x", "--json", "-", "--full"}, "--full is of the SQLite file: add -o full.sqlite"},
      {{"export", "x", "--json", "-", "--format", "json"},
       "--json FILE stands for --format json -o FILE: give one of them"},
      {{"trace", "x", "--json", "-", "-o", "y"}, "--json is an output of its own: leave out -o and --format"},
      {{"trace", "x", "--json", "-", "--format", "ndjson"},
       "--json is an output of its own: leave out -o and --format"},
      {{"completion", "csh"}, "completion is for bash, zsh or fish, not 'csh'"},
      {{"completion"}, "completion takes a shell: bash, zsh or fish"},
      {{"compare", "a"}, "compare needs two snapshots: memviz compare BEFORE AFTER [-o FILE] [options]"},
      {{"compare", "-", "-"}, "only one of the two snapshots can be standard input"},
      {{"export", "x"}, "export needs a format: add --format folded, --format json or --format sqlite"},
      {{"export", "x", "--format", "flded"},
       "--format must be folded, json or sqlite, not 'flded'; did you mean 'folded'?"},
      {{"export", "x", "--format", "folded", "--hide", "x"}, "--hide needs --format json"},
      {{"check", "x", "--json", "-", "-o", "-"}, "-o and --json name the same output"},
      {{"stats", "x", "--json", "-", "-o", "-"}, "-o and --json name the same output"},
  });
}

TEST_CASE("a picture that cannot be as small as it is to be is written, and said to be larger") {
  for (const char* command : {"flame", "state", "timeline"}) {
    const auto outcome = run({command, testdata_file("oom"), "-o", "-", "--max-size", "1K"});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.size() > 1000);
    CHECK(outcome.err == "memviz: standard output: has " + std::to_string(outcome.out.size()) +
                             " bytes, more than --max-size 1K allows: nothing more can be merged or left out\n");
    CHECK(run({command, testdata_file("oom"), "-o", "-", "--max-size", "1K", "-q"}).err.empty());
  }
}

TEST_CASE("help names the moment that a command is about without --at") {
  const auto says = [](const std::string& command, const std::string& text) {
    return run({"help", command}).out.find(text) != std::string::npos;
  };
  CHECK(says("flame", "(default: auto)"));
  CHECK(says("stats", "(default: end)"));
  CHECK(says("explain", "(default: auto)"));
  CHECK(says("compare", "(default: auto)"));
  CHECK(says("export", "(default: end)"));
  CHECK(says("state", "else peak, else"));
  CHECK(!says("trace", "--at MOMENT"));
}

TEST_CASE("a device that the file does not have is named with those that it has") {
  const std::string file = (test::testdata() / "devices_streams.pickle").string();
  const std::string empty = (test::testdata() / "empty.pickle").string();
  check_mistakes({
      {{"stats", file, "--device", "1"}, "--device 1: " + file + " has no such device; it has 0, 2, 3"},
      {{"stats", empty, "--device", "0"}, "--device 0: " + empty + " has no segments and no events on any device"},
  });
  CHECK(run({"stats", file, "--device", "2"}).exit_code == 0);
  CHECK(run({"stats", file, "--device", "all"}).exit_code == 0);
}

} // namespace memviz
