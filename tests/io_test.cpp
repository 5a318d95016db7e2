#include "io/output_file.hpp"
#include "io/signals.hpp"
#include "memviz/error.hpp"
#include "memviz/input.hpp"
#include "support/compress.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace memviz {

using test::gzip;
using test::TemporaryFolder;
using test::zstd;

namespace {

std::string message_of(const std::string& path, std::size_t max_bytes = 1'000'000) {
  try {
    static_cast<void>(read_input(path, max_bytes));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string output_message_of(const std::string& path) {
  try {
    write_file(path, "text");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Long enough for several buffers, with little to compress.
std::string many_bytes() {
  std::string bytes;
  std::uint32_t state = 1;
  for (int i = 0; i < 300'000; ++i) {
    state = state * 1664525U + 1013904223U;
    bytes += static_cast<char>(state >> 24U);
  }
  return bytes;
}

mode_t permissions_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

} // namespace

TEST_CASE("read_input gives the bytes of") {
  const TemporaryFolder folder;
  const std::string path = folder / "input";
  const std::string bytes = many_bytes();

  SUBCASE("a regular file") {
    test::write_bytes(path, bytes);
    CHECK(read_input(path).bytes() == bytes);
  }
  SUBCASE("an empty file") {
    test::write_bytes(path, "");
    CHECK(read_input(path).bytes().empty());
  }
  SUBCASE("a pipe") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    std::thread writer([&] { test::write_bytes(path, bytes); });
    const Input input = read_input(path);
    writer.join();
    CHECK(input.bytes() == bytes);
  }
  SUBCASE("a file under /proc, whose size reads as 0") {
    CHECK(!read_input("/proc/self/status").bytes().empty());
  }
  SUBCASE("gzip, whatever its name") {
    test::write_bytes(path, gzip(bytes));
    CHECK(read_input(path).bytes() == bytes);
  }
  SUBCASE("several gzip members, padded with zeros") {
    test::write_bytes(path, gzip(bytes) + gzip("") + gzip("tail") + std::string(512, '\0'));
    CHECK(read_input(path).bytes() == bytes + "tail");
  }
  SUBCASE("zstd") {
    test::write_bytes(path, zstd(bytes));
    CHECK(read_input(path).bytes() == bytes);
  }
  SUBCASE("several zstd frames") {
    test::write_bytes(path, zstd(bytes) + zstd("") + zstd("tail"));
    CHECK(read_input(path).bytes() == bytes + "tail");
  }
  SUBCASE("compressed sizes that fill a buffer exactly") {
    const std::string exact(1U << 16U, 'x');
    test::write_bytes(path, gzip(exact));
    CHECK(read_input(path).bytes() == exact);
    test::write_bytes(path, zstd(exact));
    CHECK(read_input(path).bytes() == exact);
  }
}

TEST_CASE("Input keeps its bytes when it is moved and its file is gone") {
  const TemporaryFolder folder;
  test::write_bytes(folder / "input", "abc");
  Input input = read_input(folder / "input");
  ::unlink((folder / "input").c_str());
  const Input moved = std::move(input);
  CHECK(moved.bytes() == "abc");
}

TEST_CASE("read_input says what is wrong with") {
  const TemporaryFolder folder;
  const std::string path = folder / "input";
  const std::string bytes = many_bytes();

  SUBCASE("a missing file") {
    CHECK(message_of(path) == "no such file");
  }
  SUBCASE("a directory") {
    CHECK(message_of(folder / "") == "is a directory, not a snapshot");
  }
  SUBCASE("a file that may not be read") {
    test::write_bytes(path, "abc");
    ::chmod(path.c_str(), 0);
    if (::geteuid() != 0) CHECK(message_of(path) == "cannot be opened: permission denied");
  }
  SUBCASE("a path through a file") {
    test::write_bytes(path, "abc");
    CHECK(message_of(path + "/x") == "cannot be opened: not a directory");
  }
  SUBCASE("gzip that is cut short, at every byte") {
    const std::string whole = gzip("some text to compress");
    for (std::size_t length = 2; length < whole.size(); ++length) {
      test::write_bytes(path, whole.substr(0, length));
      CHECK(message_of(path) == "the gzip data ends before it is complete: is the file cut short?");
    }
  }
  SUBCASE("zstd that is cut short, at every byte") {
    const std::string whole = zstd("some text to compress");
    for (std::size_t length = 4; length < whole.size(); ++length) {
      test::write_bytes(path, whole.substr(0, length));
      CHECK(message_of(path) == "the zstd data ends before it is complete: is the file cut short?");
    }
  }
  SUBCASE("gzip that is damaged") {
    std::string damaged = gzip(bytes);
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    test::write_bytes(path, damaged);
    CHECK(message_of(path).starts_with("the gzip data is damaged at compressed byte "));
  }
  SUBCASE("zstd that is damaged") {
    std::string damaged = zstd(bytes);
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    test::write_bytes(path, damaged);
    CHECK(message_of(path).starts_with("the zstd data is damaged at compressed byte "));
  }
  SUBCASE("bytes after the gzip data") {
    const std::string whole = gzip("abc");
    test::write_bytes(path, whole + "junk");
    CHECK(message_of(path) ==
          "bytes that are not gzip follow the gzip data, at compressed byte " + std::to_string(whole.size()));
  }
  SUBCASE("more bytes than the limit") {
    const std::string zeros(100'001, '\0');
    for (const std::string& compressed : {gzip(zeros), zstd(zeros)}) {
      test::write_bytes(path, compressed);
      CHECK(message_of(path, 100'000) == "holds more than 97.7 KiB, the most that is read");
      CHECK(message_of(path, 100'001) == "no error");
    }
  }
}

TEST_CASE("write_file") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.svg";

  SUBCASE("makes a file with the permissions that the umask leaves") {
    const mode_t before = ::umask(027);
    write_file(path, "text");
    ::umask(before);
    CHECK(test::read_bytes(path) == "text");
    CHECK(permissions_of(path) == 0640);
    CHECK(folder.names() == std::vector<std::string>{"out.svg"});
  }
  SUBCASE("replaces a file and keeps its permissions") {
    test::write_bytes(path, "what was there before");
    ::chmod(path.c_str(), 0604);
    write_file(path, "new");
    CHECK(test::read_bytes(path) == "new");
    CHECK(permissions_of(path) == 0604);
  }
  SUBCASE("writes where a symbolic link leads") {
    REQUIRE(::symlink("real.svg", path.c_str()) == 0);
    write_file(path, "first");
    write_file(path, "second");
    CHECK(folder.names() == std::vector<std::string>{"out.svg", "real.svg"});
    CHECK(std::filesystem::is_symlink(path));
    CHECK(test::read_bytes(folder / "real.svg") == "second");
  }
  SUBCASE("takes a name that is as long as a name can be") {
    const std::string name(255, 'n');
    write_file(folder / name, "text");
    CHECK(folder.names() == std::vector<std::string>{name});
  }
  SUBCASE("writes into a device instead of replacing it") {
    write_file("/dev/null", "text");
    CHECK(std::filesystem::is_character_file("/dev/null"));
    CHECK(output_message_of("/dev/full") == "cannot be written: no space left on device");
    CHECK(std::filesystem::is_character_file("/dev/full"));
  }
  SUBCASE("says why it cannot") {
    CHECK(output_message_of(folder / "none/out.svg") == "cannot be written: no such file or directory");
    CHECK(output_message_of(folder / "") == "cannot be written: is a directory");
    REQUIRE(::symlink("loop", (folder / "loop").c_str()) == 0);
    CHECK(output_message_of(folder / "loop") == "cannot be written: too many levels of symbolic links");
  }
}

TEST_CASE("OutputFile leaves what was there when it is not committed") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.svg";
  test::write_bytes(path, "before");
  {
    OutputFile file(path);
    file.write("half of the new text");
    CHECK(test::read_bytes(path) == "before");
    CHECK(folder.names().size() == 2);
  }
  CHECK(test::read_bytes(path) == "before");
  CHECK(folder.names() == std::vector<std::string>{"out.svg"});
}

TEST_CASE("a signal removes the unfinished output and ends the program") {
  const TemporaryFolder folder;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    if (child == 0) {
      install_signal_handlers();
      OutputFile file(folder / "out.svg");
      file.write("half");
      std::raise(number);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
    CHECK(folder.names().empty());
  }
}

TEST_CASE("a disk that fills up leaves no file") {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    install_signal_handlers();
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int exit_code = 0;
    try {
      write_file(folder / "out.svg", std::string(5000, 'x'));
    } catch (const Error&) {
      exit_code = 7;
    }
    ::_exit(exit_code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(folder.names().empty());
}

TEST_CASE("a closed pipe is told from other failures") {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  CHECK_THROWS_AS(write_file("/dev/fd/" + std::to_string(ends[1]), "text"), ReaderGone);
  std::signal(SIGPIPE, before);
  ::close(ends[1]);
}

} // namespace memviz
