#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memviz {

using nlohmann::json;
using test::contains;
using test::Outcome;
using test::run;
using test::TemporaryFolder;
using test::testdata_file;

namespace {

json checked(const std::string& file, int exit_code = 0) {
  const Outcome outcome = run({"check", file, "--json", "-", "-q"});
  CAPTURE(file);
  CHECK(outcome.exit_code == exit_code);
  return json::parse(outcome.out);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

} // namespace

TEST_CASE("check says what a good snapshot is") {
  const std::string file = testdata_file("training_step.pickle");
  const Outcome outcome = run({"check", file});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(first_line(outcome.out) == file + ": well-formed and balanced");
  for (const char* part :
       {"size          121 KiB (124,313 B)", "encoding      pickle protocol 4", "writer        Python's pickle",
        "generation    PyTorch 2.5 or newer", "opcodes       37,275 of 20 kinds, in 2 frames", "BINGET 29.5 %",
        "nesting       7 containers deep", "memo          2,632 entries", "longest text  99 B",
        "GPU 0         143 segments, 413 blocks, 1,529 events",
        "balanced: 191 MiB before recording + 12.8 GiB allocated - 8.76 GiB freed = 4.26 GiB in use at the end"}) {
    CAPTURE(part);
    CHECK(contains(outcome.out, part));
  }
}

TEST_CASE("check --json has the same under fixed names") {
  const json result = checked(testdata_file("devices_streams.pickle"));
  CHECK(result["well_formed"] == true);
  CHECK(result["balanced"] == true);
  CHECK(result["encoding"] == "pickle protocol 4");
  CHECK(result["protocol"] == 4);
  CHECK(result["writer"] == "Python's pickle");
  CHECK(result["refused_count"] == 0);
  CHECK(result["size_bytes"] == test::read_bytes(testdata_file("devices_streams.pickle")).size());
  CHECK(result["warnings"].empty());
  CHECK(!result.contains("error"));
  CHECK(!result.contains("stored_bytes"));
  REQUIRE(result["devices"].size() == 3);
  CHECK(result["devices"][1]["device"] == 2);
  std::uint64_t opcodes = 0;
  for (const auto& [name, count] : result["opcodes"]["by_name"].items())
    opcodes += count.get<std::uint64_t>();
  CHECK(result["opcodes"]["total"] == opcodes);
  CHECK(result["opcodes"]["by_name"]["STOP"] == 1);
}

TEST_CASE("check tells the writers apart") {
  const auto writer = [](const std::string& name) { return checked(testdata_file(name)).value("writer", ""); };
  for (const char* name : {"protocol0", "protocol1", "protocol2", "protocol3", "protocol4", "protocol5"})
    CHECK(writer("encodings/" + std::string(name) + ".pickle") == "Python's pickle");
  CHECK(writer("encodings/cpp_writer.pickle") == "PyTorch's C++ pickler");
  CHECK(writer("cpp_writer_long_batch.pickle") == "PyTorch's C++ pickler");
  CHECK(writer("recorded/cpu_train.pickle") == "memviz's capture module");
  CHECK(writer("encodings/snapshot.json").empty());
  CHECK(checked(testdata_file("encodings/snapshot.json"))["encoding"] == "JSON");
}

TEST_CASE("check of a compressed file names both sizes, and finds the same in it") {
  json plain = checked(testdata_file("encodings/protocol4.pickle"));
  for (const char* name : {"encodings/snapshot.pickle.gz", "encodings/snapshot.pickle.zst"}) {
    json packed = checked(testdata_file(name));
    CHECK(packed["stored_bytes"] == test::read_bytes(testdata_file(name)).size());
    packed.erase("stored_bytes");
    packed["file"] = plain["file"];
    CHECK(packed == plain);
  }
  CHECK(contains(run({"check", testdata_file("encodings/snapshot.pickle.gz")}).out, ", compressed to "));
}

TEST_CASE("of a snapshot without events check does not say that it balances") {
  const std::string file = testdata_file("segments_only.pickle");
  CHECK(first_line(run({"check", file}).out) == file + ": well-formed; no events to balance");
}

TEST_CASE("a warning is shown and is no failure") {
  const std::string file = testdata_file("unbalanced.pickle");
  const Outcome outcome = run({"check", file});
  CHECK(outcome.exit_code == 0);
  CHECK(first_line(outcome.out) == file + ": well-formed, but NOT BALANCED; 1 warning");
  CHECK(contains(outcome.out, ", off by 1,000,000 B"));
  CHECK(contains(outcome.out, "\nWarning: the accounts of GPU 0 do not balance"));
  CHECK(outcome.err.starts_with("memviz: " + file + ": warning: the accounts of GPU 0 do not balance"));
  CHECK(run({"check", file, "-q"}).err.empty());
  const json result = checked(file);
  CHECK(result["balanced"] == false);
  CHECK(result["devices"][0]["imbalance_bytes"] == 1'000'000);
  CHECK(result["warnings"].size() == 1);
}

TEST_CASE("check names what a hostile file tried") {
  const std::string name = "os_system_after_snapshot.pickle";
  const std::string file = testdata_file("hostile/" + name);
  const auto byte = json::parse(test::read_bytes(testdata_file("hostile/expected.json")))[name]["byte"].get<int>();
  const Outcome outcome = run({"check", file});
  CHECK(outcome.exit_code == 1);
  CHECK(first_line(outcome.out) ==
        file + ": REFUSED: 2 opcodes in it would import, call or construct something; memviz ran none");
  CHECK(contains(outcome.out, fmt::format("\n  {}  GLOBAL  import a Python object: os.system\n", byte)));
  CHECK(contains(outcome.out, "  REDUCE  call a Python function\n"));
  CHECK(outcome.err == run({"stats", file}).err);

  const json result = checked(file, 1);
  CHECK(result["well_formed"] == false);
  CHECK(contains(result["error"].get<std::string>(),
                 fmt::format("byte {}: expected plain data, found the opcode GLOBAL", byte)));
  CHECK(result["refused_count"] == 2);
  CHECK(result["refused"][0] ==
        json{{"byte", byte}, {"opcode", "GLOBAL"}, {"would", "import a Python object"}, {"target", "os.system"}});
  CHECK(!result.contains("devices"));
}

TEST_CASE("check does not take the letters of a text for opcodes") {
  const TemporaryFolder folder;
  test::write_bytes(folder / "notes.txt", "hello, this is no pickle\n");
  const auto outcome = run({"check", folder / "notes.txt"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.find("NOT WELL-FORMED") != std::string::npos);
  CHECK(outcome.out.find("opcode") == std::string::npos);
}

TEST_CASE("check names a dozen attempts and counts the rest") {
  const TemporaryFolder folder;
  std::string bytes = "\x80\x04]";
  for (int i = 0; i < 100; ++i)
    bytes += "cos\nsystem\n0";
  test::write_bytes(folder / "many.pickle", bytes + ".");
  const Outcome outcome = run({"check", folder / "many.pickle"});
  CHECK(contains(outcome.out, "REFUSED: 100 opcodes"));
  CHECK(contains(outcome.out, "\n  and 88 more\n"));
  const json result = checked(folder / "many.pickle", 1);
  CHECK(result["refused_count"] == 100);
  CHECK(result["refused"].size() == 12);
}

TEST_CASE("what a hostile file names cannot rewrite the terminal") {
  const TemporaryFolder folder;
  const std::string escape = "\x1b[2J\rall is well";
  test::write_bytes(folder / "x.pickle", "\x80\x04"
                                         "c" +
                                             escape + "\n" + std::string(1000, 'n') + "\n.");
  const Outcome outcome = run({"check", folder / "x.pickle"});
  CHECK(outcome.exit_code == 1);
  CHECK(!contains(outcome.out, "\x1b"));
  CHECK(!contains(outcome.out, "\r"));
  CHECK(contains(outcome.out, " [2J all is well"));
  CHECK(!contains(outcome.out, std::string(100, 'n')));
}

TEST_CASE("check gives every hostile file the answer of the other commands") {
  const auto hostile = test::testdata() / "hostile";
  const json expected = json::parse(test::read_bytes((hostile / "expected.json").string()));
  for (const auto& [name, answer] : expected.items()) {
    const std::string file = (hostile / name).string();
    CAPTURE(file);
    const Outcome outcome = run({"check", file});
    const Outcome stats = run({"stats", file});
    CHECK(outcome.exit_code == stats.exit_code);
    CHECK(outcome.err == stats.err);
    // Sums of events are the replay's, which --structure leaves out.
    const bool is_replay_error = contains(stats.err, "the events of device");
    CHECK(run({"check", file, "--structure", "-q"}).exit_code == (is_replay_error ? 0 : stats.exit_code));
    if (answer["answer"] != "refused") continue;
    CHECK(contains(outcome.out, "  " + answer["opcode"].get<std::string>() + " "));
    CHECK(checked(file, 1)["refused"][0]["byte"] == answer["byte"]);
  }
}

TEST_CASE("check --structure decodes, and replays nothing") {
  const std::string file = testdata_file("unbalanced.pickle");
  const Outcome outcome = run({"check", file, "--structure"});
  CHECK(outcome.exit_code == 0);
  CHECK(first_line(outcome.out) == file + ": well-formed; the accounts were not replayed");
  CHECK(contains(outcome.out, "7 segments, 16 blocks, 33 events"));
  CHECK(!contains(outcome.out, "in use at the end"));
  CHECK(outcome.err.starts_with("memviz: " + file + ": decoded and validated 0.0 MB in 0."));
  CHECK(contains(outcome.err, " MB/s\n"));
  CHECK(run({"check", file, "--structure", "-q"}).err.empty());
}

TEST_CASE("check names what nothing reads") {
  const std::string file = testdata_file("unread_keys.pickle");
  CHECK(contains(run({"check", file}).out, "not read      'managed_segments', 'managed_traces', 'world_size'"));
  const json result = checked(file);
  REQUIRE(result["unread_keys"].size() == 3);
  CHECK(result["unread_keys"][0] == json{{"key", "managed_segments"}, {"may_hold_memory", true}});
  CHECK(result["unread_keys"][2] == json{{"key", "world_size"}, {"may_hold_memory", false}});
  CHECK(result["warnings"].size() == 1);
  const Outcome hidden = run({"check", file, "--redact"});
  CHECK(!contains(hidden.out + hidden.err, "managed"));
  CHECK(!contains(hidden.out + hidden.err, "world_size"));
}

TEST_CASE("check writes text and JSON where they are asked for") {
  const TemporaryFolder folder;
  const std::string file = testdata_file("oom.pickle");
  const Outcome both = run({"check", file, "-o", folder / "check.txt", "--json", folder / "check.json"});
  CHECK(both.out.empty());
  CHECK(test::read_bytes(folder / "check.txt") == run({"check", file}).out);
  CHECK(test::read_bytes(folder / "check.json") == run({"check", file, "--json", "-"}).out);
  CHECK(run({"check", "-"}, test::read_bytes(file)).exit_code == 0);
}

} // namespace memviz
