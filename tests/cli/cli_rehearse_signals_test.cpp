#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

/// A folder for the output, with a made-up GPU that does nothing, and Python programs that import a test version of
/// torch.
class RehearsalStage {
public:
  RehearsalStage() {
    setenv("MEMVIZ_REHEARSAL_DIR", MEMVIZ_REHEARSAL_STUB, 1);
    setenv("PYTHONPATH", MEMVIZ_SOURCE_DIR "/rehearsal/tests", 1);
  }
  RehearsalStage(const RehearsalStage&) = delete;
  RehearsalStage& operator=(const RehearsalStage&) = delete;
  ~RehearsalStage() {
    unsetenv("MEMVIZ_REHEARSAL_DIR");
    unsetenv("PYTHONPATH");
  }

  [[nodiscard]] std::string output() const { return folder_ / "out"; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] Outcome of(std::vector<std::string> program, std::vector<std::string> options = {}) const {
    std::vector<std::string> words{"rehearse", "-o", output()};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return run(words);
  }
  [[nodiscard]] Outcome of_python(const std::string& program, std::vector<std::string> options = {}) const {
    return of({"python3", "-B", "-c", program}, std::move(options));
  }

private:
  TemporaryFolder folder_;
};

} // namespace

TEST_CASE("every signal to rehearse goes to the program") {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGABRT, SIGPIPE, SIGXFSZ,
                           SIGPROF, SIGCONT, SIGWINCH, SIGRTMIN + 3}) {
    CAPTURE(number);
    const RehearsalStage rehearsal;
    const std::string ready = rehearsal / "ready";
    Process process(
        {"rehearse", "-o", rehearsal.output(), "--", "sh", "-c",
         "trap 'echo ended; exit 5' " + std::to_string(number) + "; : > " + ready + "; while :; do sleep 0.05; done"});
    while (!std::filesystem::exists(ready))
      usleep(10'000);
    process.send(number);
    const Outcome outcome = process.wait();
    CHECK(outcome.exit_code == 5);
    CHECK(contains(outcome.out, "ended\nNo answer: the program ended with exit code 5"));
  }
}

TEST_CASE("a signal to rehearse goes to each rank that runs at the same time") {
  const RehearsalStage rehearsal;
  const std::string ready = rehearsal / "ready";
  Process process({"rehearse", "-o", rehearsal.output(), "--world", "8", "--rank", "0+3+7", "--", "sh", "-c",
                   "trap 'echo rank $RANK ended; exit 5' TERM; : > " + ready + "$RANK; while :; do sleep 0.05; done"});
  for (const char* const rank : {"0", "3", "7"})
    while (!std::filesystem::exists(ready + rank))
      usleep(10'000);
  process.send(SIGTERM);
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 5);
  for (const char* const rank : {"0", "3", "7"})
    CHECK(contains(outcome.out, std::string("rank ") + rank + " ended"));
}

TEST_CASE("a signal to rehearse ends all runs of --jobs, and none begins") {
  const RehearsalStage rehearsal;
  const std::string ready = rehearsal / "ready";
  Process process({"rehearse", "-o", rehearsal.output(), "--jobs", "2", "--search", "A=1,2,3,4", "--", "sh", "-c",
                   "echo $$ > " + ready + "{}; exec sleep 60"});
  for (const char* const run : {"1", "2"})
    while (!std::filesystem::exists(ready + run) || read_bytes(ready + run).empty())
      usleep(10'000);
  process.send(SIGTERM);
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 128 + SIGTERM);
  for (const char* const run : {"1", "2"})
    CHECK(kill(std::stoi(read_bytes(ready + run)), 0) != 0);
  for (const char* const run : {"3", "4"})
    CHECK_FALSE(std::filesystem::exists(ready + run));
}

TEST_CASE("a signal to rehearse that ends the program leaves nothing running") {
  const RehearsalStage rehearsal;
  const std::string ready = rehearsal / "ready";
  Process process({"rehearse", "-o", rehearsal.output(), "--", "sh", "-c", "echo $$ > " + ready + "; exec sleep 60"});
  while (!std::filesystem::exists(ready) || read_bytes(ready).empty())
    usleep(10'000);
  process.send(SIGUSR1);
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 128 + SIGUSR1);
  CHECK(contains(outcome.out, "was ended by SIGUSR1"));
  CHECK(kill(std::stoi(read_bytes(ready)), 0) != 0);
}

TEST_CASE("a program that replaces the files of rehearse does not hang it") {
  const RehearsalStage rehearsal;
  const std::string folder = "\"$(dirname \"$MEMVIZ_REHEARSAL_REPORT\")\"";
  for (const char* const replace : {"mkfifo report log", "ln -s /dev/zero report; ln -s /dev/zero log",
                                    "truncate -s 1T report log", "mkdir report log"}) {
    CAPTURE(replace);
    const Outcome outcome = rehearsal.of({"sh", "-c", "cd " + folder + "; rm -f report log; " + replace});
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.out, "No answer. The program never used a GPU"));
  }
}

TEST_CASE("a program that replaces its snapshot does not hang rehearse") {
  const RehearsalStage rehearsal;
  const Outcome outcome = rehearsal.of_python("import torch\ntorch.release(torch.allocate(50 << 20))\n"
                                              "import atexit, glob, os\n"
                                              "def replace():\n"
                                              "    (file,) = glob.glob('" +
                                                  rehearsal.output() +
                                                  "/*.pickle')\n"
                                                  "    os.unlink(file)\n"
                                                  "    os.mkfifo(file)\n"
                                                  "atexit._run_exitfuncs()\n"
                                                  "replace()\n",
                                              {"--gpu", "small"});
  CHECK(outcome.exit_code == 0);
  CHECK_MESSAGE(contains(outcome.out, "a snapshot could not be read: is a pipe"), outcome.out);
}
