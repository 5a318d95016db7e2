#include "cli/frame/command.hpp"
#include "support/compress.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/memory_limit.hpp"
#include "support/process.hpp"

#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

// Large inputs and little memory: what is refused, what is shown meanwhile, and that memory stays small.

namespace memviz {

using test::contains;
using test::Outcome;
using test::run;
using test::TemporaryFolder;
using test::TerminalProcess;
using test::testdata_file;

namespace {

constexpr std::size_t kMega = 1'000'000;

/// Adds --max-memory if that can be tested.
std::vector<std::string> limited(std::vector<std::string> words, const char* limit) {
  if (test::kCanLimit) words.insert(words.end(), {"--max-memory", limit});
  return words;
}

/// Prints a note if it cannot.
bool is_skipped() {
  if (!test::kCanLimit) MESSAGE("skipped: --max-memory cannot be used under a sanitizer");
  return !test::kCanLimit;
}

/// Returns a snapshot with `bytes` of zeros after its end, as PyTorch's HTML export pads it, compressed.
std::string padded_and_compressed(std::size_t bytes) {
  return test::zstd(test::read_bytes(testdata_file("training_step")) + std::string(bytes, '\0'));
}

std::string times(std::size_t count, const std::string& text) {
  std::string result;
  for (; count > 0; --count)
    result += text;
  return result;
}

/// Returns a snapshot with `bytes` of incompressible data under an unknown key.
std::string with_noise(std::size_t bytes) {
  std::string noise(bytes, '\0');
  std::uint32_t state = 1;
  for (char& byte : noise) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24U);
  }
  std::string size;
  for (unsigned shift = 0; shift < 64; shift += 8)
    size += static_cast<char>(bytes >> shift & 0xFFU);
  return "\x80\x04}(\x8c\x08segments]\x8c\x05noise\x8e" + size + noise + "u.";
}

} // namespace

TEST_CASE("--max-memory is an error that names it, and nothing is written") {
  if (is_skipped()) return;
  const TemporaryFolder folder;
  const std::string file = folder / "mem.pickle.zst";
  test::write_bytes(file, padded_and_compressed(60 * kMega));
  test::write_bytes(folder / "out.svg", "earlier");
  for (const char* limit : {"16M", "50M", "50MB"}) {
    const Outcome outcome = run({"flame", file, "-o", folder / "out.svg", "--max-memory", limit});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "memviz: " + file + ": needs more memory than --max-memory " + limit + " allows\n");
    CHECK(test::read_bytes(folder / "out.svg") == "earlier");
    CHECK(folder.names().size() == 2);
  }
  CHECK(run({"flame", file, "-q", "-o", folder / "out.svg", "--max-memory", "100M"}).exit_code == 0);
  CHECK(test::read_bytes(folder / "out.svg") == run({"flame", file, "-q", "-o", "-"}).out);
}

TEST_CASE("memory that is enough for one file is enough for several") {
  if (is_skipped()) return;
  const std::string file = testdata_file("oom.pickle");
  const Outcome one = run({"stats", file, "--max-memory", "16M"});
  CHECK(one.exit_code == 0);
  const Outcome several = run({"stats", file, file, "--max-memory", "16M", "--threads", "4"});
  CHECK(several.exit_code == 0);
  CHECK(several.out.starts_with(one.out));
}

TEST_CASE("--max-memory holds for decompression with a large window as well") {
  if (is_skipped()) return;
  const TemporaryFolder folder;
  const std::string file = folder / "mem.pickle.zst";
  // A frame header that asks for a window of 2 GiB, then one raw block of three bytes.
  test::write_bytes(file, std::string("\x28\xb5\x2f\xfd\x00\xa8\x19\x00\x00]N.", 12));
  CHECK(run({"stats", file, "--max-memory", "100M"}).err ==
        "memviz: " + file + ": needs more memory than --max-memory 100M allows\n");
}

TEST_CASE("a bomb of the wrong kind is refused before it unfolds") {
  const TemporaryFolder folder;
  const std::string file = folder / "bomb";
  constexpr std::size_t kPart = 16 * kMega;
  const auto check_bomb = [&](const std::string& bomb, const std::string& message) {
    test::write_bytes(file, bomb);
    const Outcome outcome = run(limited({"stats", file}, "20M"));
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "memviz: " + file + ": " + message + "\n");
  };
  SUBCASE("ten gigabytes of zeros as zstd") {
    check_bomb(times(640, test::zstd(std::string(kPart, '\0'))), "byte 0: expected a pickle opcode, found byte 0x00");
  }
  SUBCASE("as gzip") {
    check_bomb(times(100, test::gzip(std::string(kPart, '\0'))), "byte 0: expected a pickle opcode, found byte 0x00");
  }
  SUBCASE("after a beginning that could be one") {
    check_bomb(test::zstd("\x80\x04](NN") + times(640, test::zstd(std::string(kPart, '\0'))),
               "byte 6: expected a pickle opcode, found byte 0x00");
  }
  SUBCASE("of text") {
    check_bomb(times(640, test::zstd(std::string(kPart, 'x'))),
               "byte 0: expected a memory snapshot (a pickle or JSON), found text: '" + std::string(28, 'x') + "..." +
                   std::string(29, 'x') + "'");
  }
  SUBCASE("of opcodes that are all right, against the limit") {
    if (is_skipped()) return;
    check_bomb(times(640, test::zstd(std::string(kPart, ']'))), "needs more memory than --max-memory 20M allows");
  }
}

TEST_CASE("without --max-memory a small file that needs much memory is refused in one line") {
  if (is_skipped()) return;
  constexpr std::size_t kMost = 400 * kMega; // with the stacks of threads, the file and the program
  const auto check_refused = [&](const std::vector<std::string>& words, const std::string& file,
                                 const std::string& limit = "256 MiB") {
    const Outcome outcome = run(words);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err ==
          "memviz: " + file + ": needs more than " + limit + " of memory; raise the limit with --max-memory SIZE\n");
    CHECK(outcome.peak_bytes < kMost);
  };
  SUBCASE("of many lists") {
    const TemporaryFolder folder;
    const std::string file = folder / "lists.pickle.zst";
    test::write_bytes(file, times(4, test::zstd(std::string(16 * kMega, ']'))));
    check_refused({"stats", file}, file);
    const std::string good = testdata_file("oom");
    const Outcome several = run({"stats", good, file, "--threads", "2"});
    CHECK(several.exit_code == 1);
    CHECK(several.out.starts_with(run({"stats", good}).out));
    CHECK(contains(several.err, file + ": needs more than 256 MiB"));
  }
  SUBCASE("that an audit found") {
    const auto shared = test::shared_folder();
    if (!shared) return;
    const std::filesystem::path attack = *shared / "probes/findings4/attack";
    check_refused({"flops", attack / "nested_lists.pt2"}, attack / "nested_lists.pt2");
    check_refused({"explain", attack / "bomb_stack.pickle.gz"}, attack / "bomb_stack.pickle.gz", "298 MiB");
  }
}

TEST_CASE("every command refuses an input without an end by its first bytes") {
  const TemporaryFolder folder;
  constexpr std::size_t kMost = 400 * kMega; // a child counts what the tests themselves had before it began
  const auto check_refused = [&](const std::vector<std::string>& words, const std::string& message) {
    CAPTURE(words.front());
    const Outcome outcome = run(limited(words, "150M"));
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.out + outcome.err, "/dev/zero: " + message)); // ranks has a table of bad files
    CHECK(outcome.peak_bytes < kMost);
  };
  for (const cli::Command& command : cli::commands()) {
    if (command.text.takes_program || command.text.takes_process) continue;
    const std::string name(command.text.name);
    std::vector<std::string> words{name, "/dev/zero"};
    if (command.text.operand_count == 2) words.emplace_back("/dev/zero");
    if (name == "export") words.insert(words.end(), {"--format", "folded"});
    if (name != "check" && name != "ranks") words.insert(words.end(), {"-o", folder / "out"});
    check_refused(words, "byte 0: expected a ");
  }
  check_refused({"explain", testdata_file("oom"), "--kinds", "/dev/zero"}, "holds more than 1.00 MiB");
  CHECK(folder.names().empty());
}

TEST_CASE("a compressed input takes the memory of what is in it, not of itself as well") {
  constexpr std::size_t kNoise = 64 * kMega;
  const std::string compressed = test::zstd(with_noise(kNoise));
  REQUIRE(compressed.size() > kNoise);
  const Outcome outcome = run(limited({"stats", "-"}, "90M"), compressed);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("progress is shown on a terminal after a second, and erased") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "snapshot-in-a-pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string zeros(50'000, '\0');
  constexpr int kPause = 20;
  constexpr int kMostRounds = 3000;

  SUBCASE("on one line, in place") {
    TerminalProcess process({"stats", pipe}, 60);
    const int writer = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    const std::string bytes = test::read_bytes(testdata_file("training_step"));
    REQUIRE(::write(writer, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    for (int round = 0; round < kMostRounds && process.shown(kPause).empty(); ++round)
      CHECK(::write(writer, zeros.data(), zeros.size()) > 0);
    ::close(writer);
    const std::string shown = process.wait().out;
    CHECK(shown.starts_with("\r\x1b[Ksnapshot-in-a-pipe  reading  "));
    CHECK(contains(shown, " MB/s"));
    const std::size_t last = shown.rfind("\r\x1b[K");
    CHECK(shown.substr(last + 4).starts_with(pipe.substr(0, 10))); // the result
    CHECK(shown.substr(0, last).find('\n') == std::string::npos);
    CHECK(!contains(shown.substr(last), "MB/s"));
  }
  SUBCASE("and erased when a signal ends the run") {
    TerminalProcess process({"stats", pipe}, 60);
    const int writer = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    const std::string bytes = test::read_bytes(testdata_file("training_step"));
    REQUIRE(::write(writer, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    for (int round = 0; round < kMostRounds && process.shown(kPause).empty(); ++round)
      CHECK(::write(writer, zeros.data(), zeros.size()) > 0);
    process.send(SIGINT);
    const Outcome outcome = process.wait();
    ::close(writer);
    CHECK(outcome.exit_code == 128 + SIGINT);
    CHECK(contains(outcome.out, "reading"));
    CHECK(outcome.out.ends_with("\r\x1b[K"));
  }
}

TEST_CASE("no progress where no one looks, or where a line cannot be erased") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string bytes = test::read_bytes(testdata_file("training_step"));
  const auto write_slowly = [&] {
    const int writer = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    CHECK(::write(writer, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      CHECK(::write(writer, "\0", 1) == 1);
    }
    ::close(writer);
  };
  std::thread writer(write_slowly);
  std::string shown;
  SUBCASE("on a dumb terminal") {
    shown = TerminalProcess({"stats", pipe, "-o", folder / "out"}, 80, "dumb").wait().out;
  }
  SUBCASE("with --quiet") {
    shown = TerminalProcess({"stats", pipe, "-o", folder / "out", "-q"}, 80).wait().out;
  }
  SUBCASE("on one column") {
    shown = TerminalProcess({"stats", pipe, "-o", folder / "out"}, 1).wait().out;
  }
  SUBCASE("into a file") {
    shown = run({"stats", pipe, "-o", folder / "out"}).err;
  }
  writer.join();
  CHECK(!contains(shown, "reading"));
  CHECK(!contains(shown, "MB/s"));
  CHECK(test::read_bytes(folder / "out").starts_with(pipe));
}

TEST_CASE("a snapshot that is read at once shows nothing") {
  const TemporaryFolder folder;
  CHECK(TerminalProcess({"stats", testdata_file("training_step"), "-o", folder / "stats.txt"}, 80).wait().out.empty());
}

} // namespace memviz
