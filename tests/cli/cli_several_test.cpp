#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace memviz::test;

namespace {

const std::string kOom = testdata_file("oom");
const std::string kStep = testdata_file("training_step");

} // namespace

TEST_CASE("several files are answered one after the other, each as if it stood alone") {
  for (const std::string command : {"stats", "explain", "leaks", "check"}) {
    CAPTURE(command);
    const auto both = run({command, kOom, kStep});
    CHECK(both.exit_code == 0);
    CHECK(both.out == run({command, kOom}).out + "\n" + run({command, kStep}).out);
    CHECK(both.err == run({command, kOom}).err + run({command, kStep}).err);
  }
}

TEST_CASE("the JSON of several files is an array of what each of them gives") {
  for (const std::string command : {"stats", "explain", "leaks", "check"}) {
    CAPTURE(command);
    const auto both = nlohmann::json::parse(run({command, kOom, kStep, "--json", "-"}).out);
    REQUIRE(both.size() == 2);
    CHECK(both[0] == nlohmann::json::parse(run({command, kOom, "--json", "-"}).out));
    CHECK(both[1] == nlohmann::json::parse(run({command, kStep, "--json", "-"}).out));
  }
}

TEST_CASE("of several files one that cannot be read is said, and the others are answered") {
  const TemporaryFolder folder;
  const std::string bad = folder / "bad.pickle";
  write_bytes(bad, "no snapshot");
  const auto outcome = run({"stats", bad, kOom, folder / "nothing.pickle"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out == run({"stats", kOom}).out);
  CHECK(contains(outcome.err, bad + ": "));
  CHECK(contains(outcome.err, "nothing.pickle: no such file"));
  CHECK(run({"stats", bad, bad, "--json", "-"}).out == "[]\n");
}

TEST_CASE("the exit code of several files is the worst") {
  const std::string leaking = (testdata() / "leaks" / "two_devices.pickle").string();
  const std::string clean = (testdata() / "leaks" / "clean_marked.pickle").string();
  const auto code = [](const std::vector<std::string>& files) {
    std::vector<std::string> words{"leaks", "--fail-over", "1K", "-q"};
    words.insert(words.end(), files.begin(), files.end());
    return run(words).exit_code;
  };
  const int alone = code({leaking});
  CHECK(alone == 3);
  CHECK(code({clean}) == 0);
  CHECK(code({clean, leaking, clean}) == 3);
  CHECK(code({leaking, "not there"}) == 1);
  CHECK(run({"stats", kOom, kOom, "--device", "7"}).exit_code == 2);
}

TEST_CASE("the text of several files can go to a file") {
  const TemporaryFolder folder;
  CHECK(run({"check", kOom, kStep, "-o", folder / "checked.txt"}).exit_code == 0);
  CHECK(read_bytes(folder / "checked.txt") == run({"check", kOom, kStep}).out);
}
