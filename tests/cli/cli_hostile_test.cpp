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

// Files of strangers: each is answered with one sentence, at once, with little memory, and leaves nothing behind.
// testdata/README.md says what the words in hostile/expected.json mean.

namespace memviz {

using nlohmann::json;
using test::contains;
using test::Outcome;
namespace fs = std::filesystem;

namespace {

/// What a terminal would obey instead of showing; the newlines that end messages apart.
bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
}

/// The N of "byte N:", or nothing.
std::optional<std::uint64_t> offset_of(const std::string& message) {
  const std::size_t at = message.find(": byte ");
  if (at == std::string::npos) return std::nullopt;
  return std::stoull(message.substr(at + 7));
}

/// Runs a command in this process, without its warnings. Returns its error output: "" where it succeeds.
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

void check_words(const Outcome& outcome, const json& answer) {
  for (const json& word : answer.value("words", json::array()))
    CHECK(contains(outcome.err, word.get<std::string>()));
}

void check_refused_as(const Outcome& outcome, const std::string& file, const json& answer) {
  const std::string beginning = "memviz: " + file + ": ";
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with(beginning));
  CHECK(outcome.err.size() > beginning.size() + 10);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  check_words(outcome, answer);
  if (answer["answer"] == "refused") {
    CHECK(contains(outcome.err, "the opcode " + answer["opcode"].get<std::string>()));
    CHECK(offset_of(outcome.err) == answer["byte"].get<std::uint64_t>());
  }
  if (answer["answer"] == "bad pickle") {
    // The opcode's own offset, or one inside its argument.
    CHECK(offset_of(outcome.err).value_or(0) >= answer["byte"].get<std::uint64_t>());
  }
}

void check_answer(const Outcome& outcome, const std::string& file, const json& answer) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
  CHECK(outcome.peak_bytes < kMostBytes);
  CHECK(!has_control_characters(outcome.err));
  for (std::size_t line = 0; line < outcome.err.size(); line = outcome.err.find('\n', line) + 1)
    CHECK(outcome.err.compare(line, 8, "memviz: ") == 0);
  const bool may_be_read = answer["answer"] == "harmless" || answer["answer"] == "warned";
  if (!may_be_read || outcome.exit_code != 0) {
    check_refused_as(outcome, file, answer);
    return;
  }
  if (answer["answer"] == "warned") CHECK(contains(outcome.err, "memviz: " + file + ": warning: "));
  check_words(outcome, answer);
}

} // namespace

TEST_CASE("every hostile file gets the answer expected, from every command") {
  const fs::path hostile = test::testdata() / "hostile";
  const json expected = json::parse(test::read_bytes((hostile / "expected.json").string()));
  REQUIRE(expected.size() > 50);
  const std::string good = (test::testdata() / "before.pickle").string();
  for (const auto& [name, answer] : expected.items()) {
    const test::TemporaryFolder folder;
    const std::string file = (hostile / name).string();
    CAPTURE(file);
    const Outcome flame = test::run({"flame", file, "-o", folder / "out.svg"});
    CAPTURE(flame.err);
    check_answer(flame, file, answer);
    CHECK(folder.names().empty() == (flame.exit_code != 0));
    const std::string error = flame.exit_code == 0 ? "" : flame.err;
    CHECK(error_of({"stats", file, "--json", folder / "stats.json"}) == error);
    CHECK(error_of({"export", file, "--format", "folded", "-o", folder / "folded"}) == error);
    CHECK(folder.names().size() == (flame.exit_code == 0 ? 3 : 0));
    const std::vector<std::string> comparison{"compare", good, file};
    if (flame.exit_code == 0)
      CHECK(test::run(comparison).exit_code == 0); // writes to standard output
    else
      CHECK(error_of(comparison) == error);
  }
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
