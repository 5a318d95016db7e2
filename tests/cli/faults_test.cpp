#include "support/compress.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

// Faults during a run of the real program: disks fill up, folders disappear, readers and writers die, files shrink
// while they are read, signals arrive. In every case an output is complete or unchanged. The program is stopped at the
// system call where a fault does most harm, so that no test depends on timing.

namespace memviz {

using test::Outcome;
using test::Process;
using test::run;
using test::TemporaryFolder;
using test::testdata_file;

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kEarlier = "the output of an earlier run";

Words flame(const std::string& file, const std::string& output) {
  return {"flame", file, "-q", "-o", output};
}

bool has_temporary(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".tmp") return true;
  return false;
}

/// Whether the process has mapped the file.
bool has_mapped(pid_t process, const std::string& file) {
  const std::string maps = test::read_bytes("/proc/" + std::to_string(process) + "/maps");
  return maps.find(file) != std::string::npos;
}

/// The earlier output is unchanged, with nothing next to it.
void check_untouched(const TemporaryFolder& folder) {
  CHECK(folder.names() == std::vector<std::string>{"out.svg"});
  CHECK(test::read_bytes(folder / "out.svg") == kEarlier);
}

/// A named pipe, and the program reading from it: it holds `bytes` and stays open until close().
class HeldPipe {
public:
  explicit HeldPipe(const std::string& path) : path_(path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }
  HeldPipe(const HeldPipe&) = delete;
  HeldPipe& operator=(const HeldPipe&) = delete;
  ~HeldPipe() { close(); }

  /// Returns when the program has read everything except what a pipe holds.
  void give(std::string_view bytes) {
    if (descriptor_ < 0) descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

private:
  std::string path_;
  int descriptor_ = -1;
};

/// Mounts a file system of 64 KiB at `folder`; returns false if the test may not mount one.
class SmallDisk {
public:
  explicit SmallDisk(const std::string& folder)
      : folder_(folder),
        is_there_(::mkdir(folder.c_str(), 0700) == 0 && ::mount("none", folder.c_str(), "tmpfs", 0, "size=64k") == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_there_) ::umount(folder_.c_str());
  }
  [[nodiscard]] bool is_there() const { return is_there_; }

private:
  std::string folder_;
  bool is_there_;
};

} // namespace

TEST_CASE("a disk that fills up keeps the earlier output") {
  const TemporaryFolder folder;

  SUBCASE("a small file system") {
    const SmallDisk disk(folder / "disk");
    if (!disk.is_there()) {
      MESSAGE("skipped: only root may mount a small file system");
      return;
    }
    const std::string path = folder / "disk/out.svg";
    test::write_bytes(path, kEarlier);
    const Outcome outcome = run(flame(testdata_file("training_step"), path));
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "memviz: " + path + ": cannot be written: no space left on device\n");
    CHECK(test::read_bytes(path) == kEarlier);
    CHECK(!has_temporary(folder / "disk"));
  }
  SUBCASE("a limit on the size of files") {
    const std::string path = folder / "out.svg";
    test::write_bytes(path, kEarlier);
    Process process(flame(testdata_file("training_step"), path),
                    {.input = -1, .output = -1, .file_size_limit = 10'000, .is_traced = false});
    const Outcome outcome = process.wait();
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "memviz: " + path + ": cannot be written: file too large\n");
    check_untouched(folder);
  }
}

TEST_CASE("an output that cannot be written is found out before the snapshot is read") {
  const TemporaryFolder folder;
  HeldPipe never_filled(folder / "pipe");
  const auto message_of = [&](const std::string& output) {
    const Outcome outcome = run(flame(folder / "pipe", output));
    CHECK(outcome.exit_code == 1);
    return outcome.err;
  };
  const std::string missing = folder / "none/out.svg";
  CHECK(message_of(missing) ==
        "memviz: " + missing + ": cannot be written: there is no folder '" + folder / "none" + "'\n");
  const std::string directory = folder / "";
  CHECK(message_of(directory) == "memviz: " + directory + ": cannot be written: is a directory\n");
}

TEST_CASE("the folder of the output goes") {
  const TemporaryFolder folder;
  const std::string inner = folder / "inner";
  std::filesystem::create_directory(inner);
  const std::string path = inner + "/out.svg";

  SUBCASE("while the snapshot is read") {
    HeldPipe pipe(folder / "pipe");
    Process process(flame(folder / "pipe", path));
    const std::string bytes = test::read_bytes(testdata_file("training_step"));
    pipe.give(bytes.substr(0, bytes.size() / 2));
    std::filesystem::remove_all(inner);
    pipe.give(bytes.substr(bytes.size() / 2));
    pipe.close();
    const Outcome outcome = process.wait();
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "memviz: " + path + ": cannot be written: there is no folder '" + inner + "'\n");
  }
  SUBCASE("while the output is written") {
    Process process(flame(testdata_file("training_step"), path),
                    {.input = -1, .output = -1, .file_size_limit = 0, .is_traced = true});
    REQUIRE(process.run_until([&] { return has_temporary(inner); }));
    std::filesystem::remove_all(inner);
    process.let_go();
    const Outcome outcome = process.wait();
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "memviz: " + path + ": cannot be written: no such file or directory\n");
  }
  CHECK(!std::filesystem::exists(inner));
}

TEST_CASE("a reader of standard output that goes away ends the run without a word") {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  Process process(flame(testdata_file("training_step"), "-"),
                  {.input = -1, .output = ends[1], .file_size_limit = 0, .is_traced = false});
  ::close(ends[1]);
  SUBCASE("before the first byte") {
    ::close(ends[0]);
  }
  SUBCASE("in the middle") {
    char byte = 0;
    CHECK(::read(ends[0], &byte, 1) == 1);
    CHECK(byte == '<');
    ::close(ends[0]);
  }
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err.empty());
}

TEST_CASE("a read error is distinguished from damaged data") {
  // Nothing is mapped at address 0 of a process.
  const Outcome outcome = run({"stats", "/proc/self/mem"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "memviz: /proc/self/mem: cannot be read: input/output error\n");
}

TEST_CASE("a writer that dies half way leaves a truncated input, and the earlier output") {
  const TemporaryFolder input;
  const TemporaryFolder folder;
  test::write_bytes(folder / "out.svg", kEarlier);
  const std::string whole = test::read_bytes(testdata_file("training_step"));
  const auto message_for = [&](const std::string& bytes) {
    HeldPipe pipe(input / "pipe");
    Process process(flame(input / "pipe", folder / "out.svg"));
    pipe.give(bytes);
    pipe.close();
    const Outcome outcome = process.wait();
    CHECK(outcome.exit_code == 1);
    check_untouched(folder);
    return outcome.err;
  };
  const std::string name = "memviz: " + (input / "pipe") + ": ";
  SUBCASE("plain") {
    const std::string message = message_for(whole.substr(0, whole.size() / 2));
    CHECK(message.starts_with(name + "byte "));
    CHECK(message.find("cut off?") != std::string::npos);
  }
  SUBCASE("gzip") {
    const std::string bytes = test::gzip(whole);
    CHECK(message_for(bytes.substr(0, bytes.size() / 2)) ==
          name + "the gzip data ends before it is complete: is the file cut short?\n");
  }
  SUBCASE("zstd") {
    const std::string bytes = test::zstd(whole);
    CHECK(message_for(bytes.substr(0, bytes.size() / 2)) ==
          name + "the zstd data ends before it is complete: is the file cut short?\n");
  }
}

TEST_CASE("a file that is cut short or changed while it is mapped") {
  const TemporaryFolder input;
  const TemporaryFolder folder;
  const std::string file = input / "mem.pickle";
  test::write_bytes(file, test::read_bytes(testdata_file("training_step")));
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  test::write_bytes(folder / "out.svg", kEarlier);
  Process process(flame(file, folder / "out.svg"),
                  {.input = -1, .output = -1, .file_size_limit = 0, .is_traced = true});
  REQUIRE(process.run_until([&] { return has_mapped(process.id(), file); }));
  std::string message;
  SUBCASE("to whole pages, so that the rest is gone") {
    REQUIRE(::truncate(file.c_str(), 8192) == 0);
    message = "was cut short or could not be read while it was in use";
  }
  SUBCASE("within a page, whose rest reads as zeros") {
    REQUIRE(::truncate(file.c_str(), static_cast<off_t>(std::filesystem::file_size(file) - 1)) == 0);
    message = "changed while it was read";
  }
  SUBCASE("not, but written over") {
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << "other";
    message = "changed while it was read";
  }
  process.let_go();
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "memviz: " + file + ": " + message + "; run it again when the file is complete\n");
  check_untouched(folder);
}

TEST_CASE("a signal keeps the earlier output and leaves nothing next to it") {
  const TemporaryFolder input;
  const TemporaryFolder folder;
  test::write_bytes(folder / "out.svg", kEarlier);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(number);
    SUBCASE("while the snapshot is read") {
      HeldPipe pipe(input / ("pipe" + std::to_string(number)));
      Process process(flame(input / ("pipe" + std::to_string(number)), folder / "out.svg"));
      pipe.give(test::read_bytes(testdata_file("training_step")).substr(0, 1000));
      process.send(number);
      CHECK(process.wait().exit_code == 128 + number);
    }
    SUBCASE("while the output is written") {
      Process process(flame(testdata_file("training_step"), folder / "out.svg"),
                      {.input = -1, .output = -1, .file_size_limit = 0, .is_traced = true});
      REQUIRE(process.run_until([&] { return folder.names().size() == 2; }));
      process.let_go(number);
      CHECK(process.wait().exit_code == 128 + number);
    }
    check_untouched(folder);
  }
}

TEST_CASE("a killed run leaves at most its temporary, and the next one does its work") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.svg";
  test::write_bytes(path, kEarlier);
  Process process(flame(testdata_file("training_step"), path),
                  {.input = -1, .output = -1, .file_size_limit = 0, .is_traced = true});
  REQUIRE(process.run_until([&] { return folder.names().size() == 2; }));
  const std::string temporary = folder.names().front();
  CHECK(temporary == ".memviz-" + std::to_string(process.id()) + "-0.tmp");
  process.send(SIGKILL);
  CHECK(process.wait().exit_code == 128 + SIGKILL);
  CHECK(test::read_bytes(path) == kEarlier);
  CHECK(run(flame(testdata_file("training_step"), path)).exit_code == 0);
  CHECK(test::read_bytes(path) == run(flame(testdata_file("training_step"), "-")).out);
  CHECK(folder.names() == std::vector<std::string>{temporary, "out.svg"});
}

} // namespace memviz
