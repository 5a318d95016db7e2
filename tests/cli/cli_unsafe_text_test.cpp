#include "base/characters.hpp"
#include "base/utf8.hpp"
#include "support/contains.hpp"
#include "support/every_command.hpp"
#include "support/files.hpp"
#include "support/keeper_builder.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

// Unsafe names, of a file on the command line, of a function and of a source file: no output contains them.

namespace memviz {

using test::contains;
using test::KiB;
using test::Outcome;

namespace {

/// A right-to-left override, an escape sequence, C1, separators, a mark of direction, a tag, invisible characters.
const std::string kUnsafe = "\u202Egnp\x1b[2J\u009B1m\u2028\u2029\u200E\u061C\U000E0041\u200B\uFEFF\uFFFE";

std::string hostile_snapshot(std::uint64_t bytes) {
  test::SnapshotBuilder snapshot;
  const std::vector<std::string> stack{"/app/" + kUnsafe + ".py:12:step" + kUnsafe, "/app/train.py:3:main"};
  snapshot.segment(0x100000, 64 * KiB).active(bytes, bytes, stack).inactive(64 * KiB - bytes);
  snapshot.alloc(0x100000, bytes, stack);
  test::KeeperBuilder keepers;
  const int frame = keepers.object("frame", {.name = "f" + kUnsafe, .file = "/app/" + kUnsafe + ".py", .line = 12});
  const int held = keepers.object("instance", {.name = "C" + kUnsafe});
  keepers.root("local", frame).refer(frame, "local", "x" + kUnsafe, held);
  keepers.refer(held, "attribute", "y" + kUnsafe, keepers.tensor(0x100000, bytes));
  snapshot.set("memviz_keepers", keepers.python());
  snapshot.set("allocator_settings", test::dict({{"name" + kUnsafe, "value" + kUnsafe}}));
  return snapshot.pickle();
}

void check_safe(const std::string& what, const std::string& text) {
  CHECK_MESSAGE(is_valid_utf8(text), what);
  for (std::string_view rest = text; !rest.empty();) {
    const CodePoint point = first_code_point(rest);
    if (point.value != '\n' && is_unsafe(point.value)) {
      FAIL_CHECK(what << " has U+" << std::hex << static_cast<unsigned>(point.value));
      return;
    }
    rest.remove_prefix(point.bytes);
  }
}

} // namespace

TEST_CASE("no output has what could do more than be read") {
  const test::TemporaryFolder folder;
  const std::string file = folder / ("evil" + kUnsafe + "\xff.pickle");
  const std::string other = folder / ("other" + kUnsafe + ".pickle");
  test::write_bytes(file, hostile_snapshot(1024));
  test::write_bytes(other, hostile_snapshot(2560));
  std::vector<test::Command> runs = test::every_command(file, other);
  runs.insert(runs.end(), {{"check", file},
                           {"check", file, "--json", "-"},
                           {"flame", file + ".missing", "-o", "-"},
                           {"flame", file, "--by", "keeper", "-o", "-"},
                           {"state", file, "--color", "keeper", "-o", "-"},
                           {"timeline", file, "--color", "keeper", "-o", "-"},
                           {"export", file, "--by", "keeper", "--format", "folded"},
                           {"export", file, "--by", "keeper", "--format", "speedscope"},
                           {"state", file, "--annotation" + kUnsafe}});
  for (const std::vector<std::string>& arguments : runs) {
    std::string line;
    for (const std::string& argument : arguments)
      line += (argument.starts_with("/") ? "FILE" : argument) + " ";
    const Outcome outcome = test::run(arguments);
    CHECK_MESSAGE(!(outcome.out + outcome.err).empty(), line);
    check_safe(line, outcome.out);
    check_safe(line + "(messages)", outcome.err);
  }
}

TEST_CASE("in JSON the same characters are escaped, so that a program reads them") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "evil.pickle";
  test::write_bytes(file, hostile_snapshot(1024));
  const std::string text = test::run({"export", file, "--format", "json"}).out;
  CHECK(contains(text,
                 "step\\u202egnp\\u001b[2J\\u009b1m\\u2028\\u2029\\u200e\\u061c\\udb40\\udc41\\u200b\\ufeff\\ufffe"));
}

} // namespace memviz
