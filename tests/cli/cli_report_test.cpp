#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/secret_program.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::string_view kMagic = "SQLite format 3";

Outcome report(const std::string& file, const std::string& output, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"report", file, "-o", output});
  return run(more);
}

} // namespace

TEST_CASE("a report goes to standard output whole, and nothing is left of it") {
  const TemporaryFolder folder;
  const Outcome outcome = report(testdata_file("training_step"), "-", {"--full", "-q"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with(kMagic));
  CHECK(report(testdata_file("training_step"), folder / "out.sqlite", {"--full", "-q"}).exit_code == 0);
  CHECK(read_bytes(folder / "out.sqlite") == outcome.out);
  CHECK(folder.names() == std::vector<std::string>{"out.sqlite"});
}

TEST_CASE("a report that fails keeps the earlier one") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.sqlite";
  write_bytes(path, "earlier");
  write_bytes(folder / "cut.pickle", read_bytes(testdata_file("training_step")).substr(0, 50'000));
  CHECK(report(folder / "cut.pickle", path, {"--full"}).exit_code == 1);
  CHECK(read_bytes(path) == "earlier");

  Process process({"report", testdata_file("training_step"), "-q", "--full", "-o", path},
                  {.input = -1, .output = -1, .file_size_limit = 100'000, .is_traced = false});
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "memviz: " + path + ": cannot be written: file too large\n");
  CHECK(read_bytes(path) == "earlier");
  CHECK(folder.names() == std::vector<std::string>{"cut.pickle", "out.sqlite"});
}

TEST_CASE("a redacted report and a redacted export have no text of the program") {
  const TemporaryFolder folder;
  const std::string file = testdata_file("training_step");
  for (const std::string what : {"paths", "all"}) {
    CAPTURE(what);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"report", file, "--full"}, {"export", file, "--format", "sqlite"}}) {
      std::vector<std::string> redacted = words;
      redacted.insert(redacted.end(), {"-q", "-o", "-", "--redact", what});
      const Outcome outcome = run(redacted);
      CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
      CHECK(outcome.out.starts_with(kMagic));
      for (const std::string_view secret : {"/home/ada", "tinyformer"})
        CHECK(outcome.out.find(secret) == std::string::npos);
      if (what != "paths") CHECK(outcome.out.find("log_predictions") == std::string::npos);
    }
  }
}
