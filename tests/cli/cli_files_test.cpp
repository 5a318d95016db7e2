#include "support/compress.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace memviz {

using test::run;
using test::TemporaryFolder;
using test::testdata_file;

namespace {

std::string folded(const std::string& file, std::string_view input = {}) {
  const auto outcome = run({"export", file, "--format", "folded"}, input);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  return outcome.out;
}

/// One sentence that begins with the program's and the file's name.
void check_refused(const test::Outcome& outcome, const std::string& file) {
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("memviz: " + file + ": "));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK(outcome.err.ends_with('\n'));
}

} // namespace

TEST_CASE("a snapshot gives the same from a file, standard input, gzip and zstd") {
  const TemporaryFolder folder;
  const std::string bytes = test::read_bytes(testdata_file("training_step"));
  const std::string expected = folded(testdata_file("training_step"));
  CHECK(!expected.empty());
  CHECK(folded("-", bytes) == expected);
  CHECK(folded("-", test::gzip(bytes)) == expected);
  test::write_bytes(folder / "named.pickle", test::zstd(bytes));
  CHECK(folded(folder / "named.pickle") == expected);
}

TEST_CASE("a file that cannot be read is refused in one sentence") {
  const TemporaryFolder folder;
  const auto error_of = [](const std::string& file) { return run({"stats", file}).err; };
  CHECK(error_of("no/such.pickle") == "memviz: no/such.pickle: no such file\n");
  CHECK(error_of("/tmp") == "memviz: /tmp: is a directory, not a snapshot\n");
  test::write_bytes(folder / "empty", "");
  check_refused(run({"stats", folder / "empty"}), folder / "empty");
  check_refused(run({"stats", "-"}, "some text"), "-");
}

TEST_CASE("a zstd file that begins with a skippable frame is read, as pzstd writes it") {
  const TemporaryFolder folder;
  const std::string skipped{"\x50\x2a\x4d\x18\x04\0\0\0abcd", 12};
  test::write_bytes(folder / "named.pickle", skipped + test::zstd(test::read_bytes(testdata_file("training_step"))));
  CHECK(folded(folder / "named.pickle") == folded(testdata_file("training_step")));
}

TEST_CASE("no output replaces the snapshot, not even when it comes on standard input") {
  const TemporaryFolder folder;
  const std::string file = folder / "in.pickle";
  const std::string bytes = test::read_bytes(testdata_file("training_step"));
  test::write_bytes(file, bytes);
  ::symlink(file.c_str(), (folder / "link.pickle").c_str());
  for (const std::string& output : {file, folder / "link.pickle"}) {
    const int input = ::open(file.c_str(), O_RDONLY);
    test::Process process({"flame", "-", "-q", "-o", output}, {.input = input});
    const test::Outcome outcome = process.wait();
    ::close(input);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err == "memviz: the output '" + output + "' would replace the snapshot itself\n");
    CHECK(test::read_bytes(file) == bytes);
  }
}

TEST_CASE("an output that cannot be written") {
  const TemporaryFolder folder;

  SUBCASE("in a folder that is not there") {
    const std::string path = folder / "none/out.svg";
    const auto outcome = run({"flame", testdata_file("training_step"), "-q", "-o", path});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "memviz: " + path + ": cannot be written: there is no folder '" + folder / "none" + "'\n");
  }
  SUBCASE("on a full device") {
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"flame", testdata_file("training_step"), "-q", "-o", "/dev/full"},
             {"stats", testdata_file("training_step"), "-o", "/dev/full"},
             {"stats", testdata_file("training_step"), "--json", "/dev/full"},
             {"export", testdata_file("training_step"), "--format", "json", "-o", "/dev/full"}}) {
      const auto outcome = run(words);
      CHECK(outcome.exit_code == 1);
      CHECK(outcome.err == "memviz: /dev/full: cannot be written: no space left on device\n");
    }
  }
  SUBCASE("on standard output that is full") {
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"--version"},
             {"help"},
             {"stats", testdata_file("training_step")},
             {"compare", testdata_file("training_step"), testdata_file("training_step"), "-q"},
             {"flame", testdata_file("training_step"), "-q", "-o", "-"}}) {
      const auto outcome = test::run_into("/dev/full", words);
      CHECK(outcome.exit_code == 1);
      CHECK(outcome.err == "memviz: standard output: cannot be written: no space left on device\n");
    }
  }
}

} // namespace memviz
