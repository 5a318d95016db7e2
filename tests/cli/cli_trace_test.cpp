#include "support/files.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace memviz {

using nlohmann::json;
using test::run;
using test::testdata_file;

namespace {

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string ndjson(std::vector<std::string> words) {
  words.insert(words.begin(), "trace");
  words.insert(words.end(), {"--format", "ndjson", "-q"});
  const auto outcome = run(words);
  CHECK(outcome.err == "");
  CHECK(outcome.exit_code == 0);
  return outcome.out;
}

void check_usage_error(const std::vector<std::string>& words, const std::string& message) {
  const auto outcome = run(words);
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(message) != std::string::npos);
}

constexpr std::size_t kDeep = 5000;

/// One deep stack, which 2,000 events share: 0.5 MB that would be 250 MB of text.
std::string deep_in_events(const test::TemporaryFolder& folder) {
  const test::PythonValue frames = test::frames_of(test::Stack(kDeep, "model.py:12:forward"));
  test::SnapshotBuilder builder;
  for (int i = 0; i < 2000; ++i)
    builder.event(
        test::dict({{"action", "alloc"}, {"addr", 4096 * i}, {"size", 512}, {"stream", 0}, {"frames", frames}}));
  test::write_bytes(folder / "deep.pickle", builder.pickle());
  return folder / "deep.pickle";
}

} // namespace

TEST_CASE("trace prints each event of a file, pipe or compressed file once") {
  const auto outcome = run({"trace", testdata_file("oom")});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("  oom  ") != std::string::npos);
  const std::string plain = ndjson({testdata_file("encodings/protocol4")});
  CHECK(lines_of(plain) > 10);
  CHECK(run({"trace", "-", "-q", "--format", "ndjson"}, test::read_bytes(testdata_file("encodings/protocol4"))).out ==
        plain);
  for (const char* other : {"snapshot.pickle.gz", "snapshot.pickle.zst", "snapshot.json", "protocol0.pickle",
                            "every_opcode.pickle", "cpp_writer.pickle"}) {
    CAPTURE(other);
    CHECK(ndjson({(test::testdata() / "encodings" / other).string()}) == plain);
  }
}

TEST_CASE("trace writes the same to a file, whole") {
  const test::TemporaryFolder folder;
  const auto to_file = run({"trace", testdata_file("training_step"), "-q", "-o", folder / "trace.txt"});
  CHECK(to_file.exit_code == 0);
  CHECK(to_file.out.empty());
  CHECK(test::read_bytes(folder / "trace.txt") == run({"trace", testdata_file("training_step"), "-q"}).out);
  CHECK(folder.names() == std::vector<std::string>{"trace.txt"});
}

TEST_CASE("trace ends quietly when its reader does") {
  const auto outcome = run({"trace", testdata_file("training_step"), "-q", "-o", "/dev/full"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err.find("memviz: /dev/full: cannot be written") == 0);
  test::Process::Setup setup;
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  setup.output = ends[1];
  test::Process process({"trace", testdata_file("training_step"), "-q"}, setup);
  ::close(ends[1]);
  const auto gone = process.wait();
  CHECK(gone.exit_code == 1);
  CHECK(gone.err.empty());
}

TEST_CASE("trace takes ranges as moments") {
  const std::string file = testdata_file("oom");
  const auto all = lines_of(ndjson({file}));
  const auto before = lines_of(ndjson({file, "--to", "oom"}));
  const auto after = lines_of(ndjson({file, "--from", "oom"}));
  CHECK(before + after == all + 1); // the error itself is in both
  CHECK(lines_of(ndjson({file, "--from", "event:3", "--to", "event:5"})) == 3);
  CHECK(lines_of(ndjson({file, "--from", "oom", "--to", "oom"})) == 1);
  CHECK(ndjson({file, "--to", "event:-1"}).empty());
  CHECK(ndjson({file, "--from", "event:-1", "--to", "end"}) == ndjson({file}));
  CHECK(lines_of(ndjson({testdata_file("devices_streams"), "--from", "event:2", "--to", "event:3", "--device", "2"})) ==
        2);
  CHECK(ndjson({file, "--action", "oom"}) == ndjson({file, "--from", "oom", "--to", "oom"}));
  const auto first_us =
      json::parse(ndjson({file, "--from", "event:3", "--to", "event:3"}))["time_us"].get<std::int64_t>();
  const std::string from = "time:" + std::to_string(first_us);
  CHECK(ndjson({file, "--from", from, "--to", from}).find("\"event\": 3,") != std::string::npos);
  const std::string marked = testdata_file("gen_2.5_annotations");
  const json mark = json::parse(
      ndjson({marked, "--action", "annotation"}).substr(0, ndjson({marked, "--action", "annotation"}).find('\n')));
  const std::string since = ndjson({marked, "--from", "annotation:" + mark["name"].get<std::string>()});
  CHECK(since.find(mark["name"].get<std::string>()) != std::string::npos);
}

TEST_CASE("a range of trace that ends before it begins is a mistake, and one that holds nothing is said") {
  const std::string file = testdata_file("oom");
  check_usage_error({"trace", file, "--from", "event:5", "--to", "event:3"},
                    "--from event:5 comes after --to event:3: there is nothing between them");
  check_usage_error({"trace", file, "--from", "oom", "--to", "event:3", "--format", "ndjson"},
                    "--from oom comes after --to event:3");
  check_usage_error({"trace", file, "--from", "time:1760000000020003", "--to", "time:1760000000000148"},
                    "--from time:1760000000020003 comes after");
  const auto empty =
      run({"trace", file, "--from", "event:1", "--to", "event:3", "--action", "oom", "--format", "ndjson"});
  CHECK(empty.exit_code == 0);
  CHECK(empty.err.find("no event that is asked for lies between --from and --to") != std::string::npos);
}

TEST_CASE("a log with stacks out of all proportion to its file is an error before the first line") {
  const test::TemporaryFolder folder;
  const std::string file = deep_in_events(folder);
  for (const std::string format : {"text", "ndjson"}) {
    CAPTURE(format);
    const auto outcome = run({"trace", file, "-q", "--stacks", "--format", format});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find("which no real snapshot of this size has: without --stacks") != std::string::npos);
    const auto to_file = run({"trace", file, "-q", "--stacks", "--format", format, "-o", folder / "trace.txt"});
    CHECK(to_file.exit_code == 1);
    CHECK(folder.names().size() == 1);
    // Less is asked for, and less it is.
    const auto few = run({"trace", file, "-q", "--stacks", "--format", format, "--to", "event:9"});
    CHECK(few.exit_code == 0);
    CHECK(few.out.size() > 10 * kDeep * 5);
  }
  CHECK(run({"trace", file, "-q"}).exit_code == 0);
}

TEST_CASE("trace takes lists of actions, addresses and names") {
  const std::string file = testdata_file("oom");
  const auto count = [&](const std::string& actions) { return lines_of(ndjson({file, "--action", actions})); };
  CHECK(count("free") == count("free_requested") + count("free_completed"));
  CHECK(count("alloc,oom") == count("alloc") + count("oom"));
  const json first = json::parse(ndjson({file, "--action", "alloc", "--to", "event:5"})
                                     .substr(0, ndjson({file, "--action", "alloc", "--to", "event:5"}).find('\n')));
  const std::string named = ndjson({file, "--address", first["name"].get<std::string>()});
  CHECK(named.find("\"action\": \"alloc\"") != std::string::npos);
  CHECK(lines_of(ndjson({file, "--address", first["address"].get<std::string>()})) >= lines_of(named));
  const std::string hex =
      "0x" + first["name"].get<std::string>().substr(1, first["name"].get<std::string>().find('_') - 1);
  CHECK(ndjson({file, "--address", hex}) == ndjson({file, "--address", first["address"].get<std::string>()}));
}

TEST_CASE("trace of a file without events says so") {
  CHECK(run({"trace", testdata_file("segments_only"), "-q"}).out == "GPU 0: 0 events\n");
  CHECK(run({"trace", testdata_file("empty_list"), "-q"}).out == "no segments and no events on any device\n");
  CHECK(ndjson({testdata_file("segments_only")}).empty());
}

TEST_CASE("a mistake in an option of trace says what to do") {
  const std::string file = testdata_file("oom");
  check_usage_error({"trace", file, "--from", "noon"}, "--from must be auto, end, peak, oom, event:N");
  check_usage_error({"trace", file, "--from", "event:99999999"},
                    "--from event:99999999: " + file + " has events 0 to ");
  check_usage_error({"trace", testdata_file("devices_streams"), "--from", "event:1"},
                    "each device counts its own events");
  check_usage_error({"trace", testdata_file("training_step"), "--to", "oom"}, "records no out-of-memory error");
  check_usage_error({"trace", testdata_file("gen_2.2_time"), "--from", "annotation:x"}, "has no such annotation");
  check_usage_error({"trace", testdata_file("gen_2.1_no_time"), "--to", "time:5"}, "have no times");
  check_usage_error({"trace", file, "--action", "allocs"}, "did you mean 'alloc'?");
  check_usage_error({"trace", file, "--address", "b12"}, "--address must be an address such as");
  check_usage_error({"trace", file, "--stream", "x"}, "--stream must be a number");
  check_usage_error({"trace", file, "--stack", "("}, "--stack '(' is not a regular expression");
  check_usage_error({"trace", file, "--device", "9"}, "--device 9");
  check_usage_error({"trace", file, "--format", "csv"}, "--format must be text or ndjson");
  check_usage_error({"trace", file, "--time", "utc"}, "--time must be relative or absolute");
}

} // namespace memviz
