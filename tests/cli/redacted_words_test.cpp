#include "memviz/redact.hpp"
#include "redact/pseudonym.hpp"
#include "redact/public_names.hpp"
#include "support/every_command.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

using TextSet = std::set<std::string, std::less<>>;

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view kDigits = "0123456789";
const std::string kWordCharacters = std::string(kLetters) + std::string(kDigits);

/// Adds each longest run of `characters` in `text`.
void add_runs(std::string_view text, std::string_view characters, TextSet& runs) {
  for (std::size_t begin = text.find_first_of(characters); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(characters, begin), text.size());
    const std::string_view run = text.substr(begin, end - begin);
    if (!runs.contains(run)) runs.emplace(run);
    begin = text.find_first_of(characters, end);
  }
}

/// Returns the words that memviz prints: its helps, and its answers with all the words of scripts, styles and formats.
struct Vocabulary {
  TextSet words;
  TextSet paths; ///< all else with a '/' in it: "/title", "http://www.w3.org/2000/svg", "MB/s"
};

Vocabulary printed_vocabulary() {
  Vocabulary vocabulary;
  TextSet runs;
  const auto add = [&](const Command& command) {
    const Outcome outcome = run(command);
    for (const std::string* text : {&outcome.out, &outcome.err}) {
      add_runs(*text, kWordCharacters, vocabulary.words);
      add_runs(*text, kWordCharacters + "/.:-", runs);
    }
  };
  for (const char* command :
       {"flame", "state", "timeline", "explain", "compare", "stats", "leaks", "trace", "export", "check", "rehearse"})
    add({command, "--help=all"});
  add({"help"});
  for (const char* name :
       {"training_step", "oom", "overflow_true", "cases/split_free_blocks", "unknown_actions_and_keys"})
    for (const Command& command : every_command(testdata_file(name), testdata_file(name)))
      add(command);
  // Addresses, sizes and times belong to the snapshots.
  std::erase_if(vocabulary.words, [](const std::string& word) {
    const auto digits =
        std::count_if(word.begin(), word.end(), [](char c) { return kDigits.find(c) != std::string_view::npos; });
    return digits > 3 || word.find_first_not_of("_0123456789") == std::string::npos;
  });
  for (const std::string& word : runs)
    if (word.find('/') != std::string::npos) vocabulary.paths.insert(word);
  return vocabulary;
}

std::string file_of(const std::string& word) {
  return "/srv/acme/" + word + "/" + word + ".py";
}

PythonValue frames_of(const std::string& name, const std::string& filename) {
  return list({dict({{"name", name}, {"filename", filename}, {"line", 1}})});
}

/// Returns a program in which everything named is called after a word, in a different form each time.
std::string program_of(const Vocabulary& vocabulary) {
  std::vector<std::pair<std::string, PythonValue>> stacks; // with the word that they contain
  for (const std::string& word : vocabulary.words)
    stacks.emplace_back(word, frames_of(word, file_of(word)));
  for (const std::string& path : vocabulary.paths)
    stacks.emplace_back(path, frames_of("acme_fn", path));
  SnapshotBuilder builder;
  SegmentBuilder segment = builder.segment(0x7f0000000000, 512 * stacks.size());
  PythonItems marks;
  PythonPairs settings;
  std::int64_t time_us = 1'000'000;
  std::uint64_t address = 0x7f0000000000;
  for (const auto& [word, frames] : stacks) {
    segment.block(dict({{"address", address},
                        {"size", 512},
                        {"requested_size", 500},
                        {"state", "active_allocated"},
                        {"frames", frames}}));
    builder.event(dict({{"action", "alloc"},
                        {"addr", address},
                        {"size", 500},
                        {"stream", 0},
                        {"time_us", time_us},
                        {"compile_context", word},
                        {"user_metadata", word},
                        {"internal_metadata", word + " internal"},
                        {"frames", frames}}));
    marks.push_back(
        dict({{"name", word}, {"stage", "START"}, {"device", 0}, {"time_us", time_us}, {word + "_", word}}));
    settings.emplace_back(word, word + " acme");
    address += 512;
    time_us += 10;
  }
  builder.set("external_annotations", list(marks));
  builder.set("allocator_settings", dict(settings));
  return builder.pickle();
}

TextSet texts_of(const std::string& bytes, Redact what) {
  Redactor redactor({what, ""});
  ReadOptions options;
  options.rewriter = &redactor;
  const Recording recording = read_snapshot(bytes, options);
  TextSet texts;
  for (std::uint32_t i = 0; i < recording.frames.string_count(); ++i)
    texts.emplace(recording.frames.text({i}));
  return texts;
}

/// Returns the texts of `expected` that are missing.
std::vector<std::string> missing(const TextSet& expected, const TextSet& there) {
  std::vector<std::string> missing;
  std::set_difference(expected.begin(), expected.end(), there.begin(), there.end(), std::back_inserter(missing));
  return missing;
}

/// Returns the pseudonyms of names and files of the program in outputs.
TextSet pseudonyms_of(const Vocabulary& vocabulary, Redact what) {
  const Pseudonyms pseudonyms("");
  Redactor redactor({what, ""});
  TextSet expected;
  for (const std::string& word : vocabulary.words) {
    if (what != Redact::names) expected.insert(pseudonyms.of("file_", word + ".py"));
    if (what == Redact::paths || is_public_python_name(word)) continue;
    const std::string stem = word.substr(0, word.find_last_not_of(kDigits) + 1);
    expected.insert(pseudonyms.of("mark_", stem));
    expected.insert(pseudonyms.of("text_", word));
    const std::string name = redactor.frame(word, file_of(word)).name;
    CHECK((name.starts_with("func_") || name.starts_with("__func_") || name.starts_with("_Py_func_")));
    expected.insert(name);
  }
  return expected;
}

/// Returns every_command() in fewer runs: those that write several outputs put some of them into `folder`.
std::vector<Command> commands_into(const TemporaryFolder& folder, const std::string& file) {
  std::vector<Command> commands = every_command(file, file);
  const std::set<std::string_view> joined{"state", "timeline", "explain", "compare"};
  std::erase_if(commands, [&](const Command& command) { return joined.contains(command.front()); });
  commands.push_back({"state", file, "-o", folder / "state.svg", "--json", "-"});
  commands.push_back({"timeline", file, "-o", folder / "timeline.svg", "--json", "-"});
  commands.push_back({"explain", file, "-o", folder / "explain.svg", "--json", folder / "explain.json", "--text", "-"});
  commands.push_back({"compare", file, file, "-o", folder / "compare.svg", "--json", folder / "compare.json",
                      "--markdown", folder / "compare.md"});
  return commands;
}

const std::vector<std::pair<std::string, Redact>> kLevels{
    {"paths", Redact::paths}, {"names", Redact::names}, {"all", Redact::all}};

} // namespace

TEST_CASE("a program may call anything by every word that memviz prints, and it is hidden") {
  const Vocabulary vocabulary = printed_vocabulary();
  for (const char* word : {"balance", "xmlns", "Reserved", "active_allocated", "redact", "memory", "viewBox"})
    REQUIRE_MESSAGE(vocabulary.words.contains(word), word);
  REQUIRE(vocabulary.paths.contains("http://www.w3.org/2000/svg"));
  REQUIRE(vocabulary.paths.contains("/title"));
  const std::string bytes = program_of(vocabulary);
  const TemporaryFolder folder;
  const std::string file = folder / "mem.pickle";
  write_bytes(file, bytes);
  for (const auto& choice : kLevels) {
    const std::string& level = choice.first;
    const Redact what = choice.second;
    CAPTURE(level);
    TextSet said;
    const TemporaryFolder outputs;
    for (Command command : commands_into(outputs, file)) {
      command.insert(command.end(), {"--redact", level});
      const Outcome outcome = run(command);
      CHECK_MESSAGE(outcome.exit_code == 0, fmt::format("{}", fmt::join(command, " ")), outcome.err.substr(0, 500));
      add_runs(outcome.out, kWordCharacters, said);
    }
    for (const std::string& name : outputs.names())
      add_runs(read_bytes(outputs / name), kWordCharacters, said);
    CHECK(outputs.names().size() == 7);
    const std::vector<std::string> unsaid = missing(pseudonyms_of(vocabulary, what), said);
    CHECK_MESSAGE(unsaid.empty(), fmt::format("{}", fmt::join(unsaid, " ")));
    if (what == Redact::paths || what == Redact::names) continue; // settings are kept
    const TextSet texts = texts_of(bytes, what);
    for (const std::string& word : vocabulary.words)
      if (!is_public_python_name(word) && !is_public_setting_word(word) && word != "START")
        CHECK_MESSAGE(!texts.contains(word), word);
  }
}
