#include "base/printable.hpp"
#include "cli/dispatch.hpp"
#include "memviz/error.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <optional>

// Hostile files: each is answered with one sentence, quickly, with little memory, and leaves nothing.
// testdata/README.md explains the words in hostile/expected.json.

namespace memviz {

using nlohmann::json;
using test::contains;
using test::Outcome;
namespace fs = std::filesystem;

namespace {

/// Whether a text has characters that a terminal would interpret instead of showing, other than the newlines that end
/// messages.
bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
}

/// Returns the N of "byte N:", or nullopt.
std::optional<std::uint64_t> offset_of(const std::string& message) {
  const std::size_t at = message.find(": byte ");
  if (at == std::string::npos) return std::nullopt;
  return std::stoull(message.substr(at + 7));
}

/// Returns the lines of messages about a file.
std::string messages_about(const std::string& file, const std::string& messages) {
  std::string about;
  for (std::size_t line = 0; line < messages.size();) {
    const std::size_t next = messages.find('\n', line) + 1;
    const std::string_view text = std::string_view(messages).substr(line, next - line);
    if (text.starts_with("memviz: " + file + ": ")) about += text;
    line = next;
  }
  return about;
}

/// Runs a command in this process, without its warnings. Returns its error output: "" if it succeeds.
std::string error_of(std::vector<std::string> words) {
  words.emplace_back("--quiet");
  try {
    return cli::run_command_line(words) == 0 ? "" : "a failure without a message";
  } catch (const UsageError&) {
    return "a usage error";
  } catch (const std::exception& error) {
    return "memviz: " + printable(error.what()) + "\n";
  }
}

void check_words(const std::string& messages, const json& answer) {
  for (const json& word : answer.value("words", json::array()))
    CHECK(contains(messages, word.get<std::string>()));
}

void check_refused_as(const std::string& messages, const std::string& file, const json& answer) {
  const std::string beginning = "memviz: " + file + ": ";
  CHECK(messages.starts_with(beginning));
  CHECK(messages.size() > beginning.size() + 10);
  CHECK(std::count(messages.begin(), messages.end(), '\n') == 1);
  check_words(messages, answer);
  if (answer["answer"] == "refused") {
    CHECK(contains(messages, "the opcode " + answer["opcode"].get<std::string>()));
    CHECK(offset_of(messages) == answer["byte"].get<std::uint64_t>());
  }
  if (answer["answer"] == "bad pickle") {
    // The opcode's own offset, or one inside its argument.
    CHECK(offset_of(messages).value_or(0) >= answer["byte"].get<std::uint64_t>());
  }
}

void check_answer(const std::string& messages, bool is_refused, const std::string& file, const json& answer) {
  const bool may_be_read = answer["answer"] == "harmless" || answer["answer"] == "warned";
  if (!may_be_read || is_refused) {
    check_refused_as(messages, file, answer);
    return;
  }
  if (answer["answer"] == "warned") CHECK(contains(messages, "memviz: " + file + ": warning: "));
  check_words(messages, answer);
}

} // namespace

TEST_CASE("every hostile file gets the answer expected, from every command") {
  const fs::path hostile = test::testdata() / "hostile";
  const json expected = json::parse(test::read_bytes((hostile / "expected.json").string()));
  REQUIRE(expected.size() > 50);
  const std::string good = (test::testdata() / "before.pickle").string();
  std::vector<std::string> stats{"stats"};
  for (const auto& [name, answer] : expected.items())
    stats.push_back((hostile / name).string());
  const Outcome all = test::run(stats);
  constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
  CHECK(all.peak_bytes < kMostBytes);
  CHECK(all.exit_code == 1);
  CHECK(!has_control_characters(all.err));
  std::string about_files;
  for (const auto& [name, answer] : expected.items()) {
    const test::TemporaryFolder folder;
    const std::string file = (hostile / name).string();
    CAPTURE(file);
    const std::string messages = messages_about(file, all.err);
    about_files += messages;
    const std::string error = error_of({"flame", file, "-o", folder / "out.svg"});
    const bool is_refused = !error.empty();
    CHECK(folder.names().empty() == is_refused);
    check_answer(messages, is_refused, file, answer);
    if (is_refused) CHECK(messages == error);
    CHECK(contains(all.out, file + "\n") != is_refused);
    CHECK(error_of({"export", file, "--format", "folded", "-o", folder / "folded"}) == error);
    CHECK(folder.names().size() == (is_refused ? 0 : 2));
    const std::vector<std::string> comparison{"compare", good, file};
    if (is_refused)
      CHECK(error_of(comparison) == error);
    else
      CHECK(test::run(comparison).exit_code == 0); // writes to standard output
  }
  CHECK(about_files == all.err);
}

TEST_CASE("every file of the hostile folder has an answer") {
  const fs::path hostile = test::testdata() / "hostile";
  const json expected = json::parse(test::read_bytes((hostile / "expected.json").string()));
  for (const auto& entry : fs::directory_iterator(hostile)) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    CHECK((name == "expected.json" || expected.contains(name)));
  }
}

} // namespace memviz
