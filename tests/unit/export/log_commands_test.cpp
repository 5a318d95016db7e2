#include "base/log_commands.hpp"

#include "base/json_writer.hpp"
#include "base/printable.hpp"
#include "support/every_command.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Whether a runner would obey: a line begins with `::name ...::`, or has `##name[` anywhere.
bool obeys(const std::string& output) {
  if (!hash_commands(output).empty()) return true;
  for (const std::size_t at : colon_commands(output)) {
    const std::size_t line = output.rfind('\n', at);
    const std::size_t begin = line == std::string::npos ? 0 : line + 1;
    if (output.find_first_not_of(" \t", begin) == at - 1) return true;
  }
  return false;
}

SnapshotBuilder commanding_program() {
  const std::string name = "::error::pwned ##[set-output name=pwn]1 ##vso[task.setvariable variable=PATH]/evil";
  const PythonValue stack = list({dict({{"name", name}, {"filename", "/a/model.py"}, {"line", 7}}),
                                  dict({{"name", "main"}, {"filename", "/a/::add-mask::e"}, {"line", 3}})});
  SnapshotBuilder builder;
  builder.segment(0x7f0000000000, 2 * MiB)
      .block(dict({{"size", static_cast<std::int64_t>(MiB)},
                   {"requested_size", 900'000},
                   {"state", "active_allocated"},
                   {"frames", stack}}))
      .inactive(MiB);
  builder.event(dict({{"action", "alloc"},
                      {"addr", 0x7f0000000000},
                      {"size", 900'000},
                      {"stream", 0},
                      {"time_us", 5},
                      {"frames", stack}}));
  builder.set("allocator_settings", dict({{"::add-mask::e", "##teamcity[x]"}, {"a", "\n::stop-commands::x"}}));
  builder.set("external_annotations",
              list({dict({{"name", "\n  ::group::x"}, {"stage", "START"}, {"device", 0}, {"time_us", 4}})}));
  return builder;
}

} // namespace

TEST_CASE("commands of a job's log are found where a runner would") {
  CHECK(hash_commands("##[group]x ##vso[a] ###[b]").size() == 3);
  CHECK(hash_commands("##A[x] ##Z[x] ##z[x]").size() == 3);
  CHECK(hash_commands("## [group] #[a] ##1[b] ##vso").empty());
  CHECK(colon_commands("::error::x ::warning file=a::b") == std::vector<std::size_t>{1, 12});
  CHECK(colon_commands("at::native::empty std::vector<a>::size ::operator").empty());
  CHECK(without_log_commands("::error::x") == ": :error::x");
  CHECK(without_log_commands("a ##[x]") == "a # #[x]");
  CHECK(without_log_commands("at::native::add ::b") == "at::native::add ::b");
  CHECK(printable("x\n::error::y") == "x : :error::y");
}

TEST_CASE("JSON spells what a terminal or a log would obey, and means the same") {
  const std::string text = "##[x] \x7f \xc2\x9b"
                           "31m \xe2\x80\xae \xe2\x80\xa8 größe\n";
  const std::string json =
      json_document([&](JsonWriter& writer) { writer.begin_object().member("a", text).end_object(); });
  CHECK(json == "{\n  \"a\": \"#\\u0023[x] \\u007f \\u009b31m \\u202e \\u2028 größe\\n\"\n}\n");
  CHECK(nlohmann::json::parse(json)["a"].get<std::string>() == text);
}

TEST_CASE("no output of a hostile snapshot holds a command of a job's log") {
  REQUIRE(obeys("a\n  ::error::x\n"));
  REQUIRE_FALSE(obeys("a ::error::x\n"));
  TemporaryFolder folder;
  const std::string file = folder / "mem.pickle";
  write_bytes(file, commanding_program().pickle());
  std::vector<Command> commands = every_command(file, file);
  commands.insert(commands.end(), {{"check", file}, {"check", file, "--json", "-"}});
  for (const std::vector<std::string>& words : commands) {
    CAPTURE(words);
    const Outcome outcome = run(words);
    CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
    CHECK_FALSE(obeys(outcome.out));
    CHECK_FALSE(obeys(outcome.err));
  }
}
