#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>

namespace memviz {

using test::run;
using test::testdata_file;

namespace {

void check_mistaken(const std::vector<std::string>& words, const std::string& message) {
  const auto outcome = run(words);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "memviz: " + message + "\n");
}

} // namespace

TEST_CASE("timeline draws to a file or to standard output") {
  const test::TemporaryFolder folder;
  const auto outcome = run({"timeline", testdata_file("oom"), "-o", folder / "t.svg"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.empty());
  const auto printed = run({"timeline", testdata_file("oom"), "-o", "-"});
  CHECK(printed.out == test::read_bytes(folder / "t.svg"));
  CHECK(printed.out.find("<svg ") != std::string::npos);
}

TEST_CASE("timeline says what is wrong with its options") {
  check_mistaken({"timeline", testdata_file("oom")},
                 "timeline needs an output: add -o timeline.svg, or -o - for standard output");
  check_mistaken({"timeline", testdata_file("oom"), "-o", "-", "--axis", "tim"},
                 "--axis must be event or time, not 'tim'; did you mean 'time'?");
  check_mistaken({"timeline", testdata_file("oom"), "-o", "-", "--view", "memory"},
                 "--view must be active, segments or pools, not 'memory'");
  check_mistaken({"timeline", testdata_file("oom"), "-o", "-", "--detail", "many"},
                 "--detail must be a number from 0 to 20000, not 'many'");
  check_mistaken({"timeline", testdata_file("oom"), "-o", "-", "--from", "5", "--to", "2"},
                 "--from 5 lies behind --to 2");
  check_mistaken({"timeline", testdata_file("oom"), "-o", "-", "--to", "99999"},
                 "--to 99999: the recording has 87 events, numbered from 0");
}

TEST_CASE("timeline in time, of a file without times: that is what the file is, not how memviz was called") {
  const auto outcome = run({"timeline", testdata_file("gen_2.1_no_time.pickle"), "-o", "-", "--axis", "time", "-q"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("the events have no times (PyTorch writes them since 2.2): use --axis event") !=
        std::string::npos);
}

TEST_CASE("timeline explains itself") {
  const auto outcome = run({"help", "timeline"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.find("memviz timeline mem.pickle -o timeline.svg") != std::string::npos);
}

} // namespace memviz
