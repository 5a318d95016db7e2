#include "io/output_file.hpp"
#include "io/progress_line.hpp"
#include "io/signals.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace memviz {

using test::TemporaryFolder;

namespace {

std::string output_message_of(const std::string& path) {
  try {
    write_file(path, "text");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

mode_t permissions_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

} // namespace

TEST_CASE("check_output finds what OutputFile would stumble over") {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) -> std::string {
    try {
      check_output(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  test::write_bytes(folder / "there", "text");
  REQUIRE(::symlink("real.svg", (folder / "link").c_str()) == 0);
  REQUIRE(::symlink("loop", (folder / "loop").c_str()) == 0);
  for (const std::string& path : {std::string("-"), folder / "there", folder / "new", folder / "link",
                                  std::string("/dev/null"), std::string("in_this_folder")})
    CHECK(message(path) == "no error");
  CHECK(message(folder / "") == "cannot be written: is a directory");
  CHECK(message(folder / "none/new") == "cannot be written: there is no folder '" + folder / "none" + "'");
  CHECK(message(folder / "there/new") == "cannot be written: not a directory");
  CHECK(message(folder / "loop") == "cannot be written: too many levels of symbolic links");
  CHECK(folder.names() == std::vector<std::string>{"link", "loop", "there"});
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
    CHECK(output_message_of(folder / "none/out.svg") ==
          "cannot be written: there is no folder '" + folder / "none" + "'");
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

TEST_CASE("a signal removes all unfinished outputs and ends the program") {
  const TemporaryFolder folder;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(number, SIG_DFL); // nohup ignores one
      install_signal_handlers();
      OutputFile file(folder / "out.svg");
      file.write("half");
      OutputFile other(folder / "other.svg");
      { const OutputFile left_alone(folder / "third.svg"); }
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

TEST_CASE("a closed pipe is distinguished from other failures") {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  CHECK_THROWS_AS(write_file("/dev/fd/" + std::to_string(ends[1]), "text"), ReaderGone);
  std::signal(SIGPIPE, before);
  ::close(ends[1]);
}

TEST_CASE("progress_line fits the terminal") {
  const Pace pace{.name = "a_snapshot_with_a_long_name.pickle",
                  .step = "decoding",
                  .done_bytes = 1'590'000'000,
                  .total_bytes = 3'180'000'000,
                  .seconds = 5};
  CHECK(progress_line(pace, 120) ==
        "a_snapshot_with_a_long_name.pickle  decoding  [##########..........]   50 %  318 MB/s  5 s left");
  CHECK(progress_line(pace, 80) == "a_snaps...e.pickle  decoding  [##########..........]   50 %  318 MB/s  5 s left");
  CHECK(progress_line(pace, 50) == "a_sn...ickle  decoding   50 %  318 MB/s  5 s left");
  CHECK(progress_line(pace, 20) == "a_sn...ickle   50 %");
  CHECK(progress_line(pace, 10) == " 50 %");
  for (std::size_t columns = 0; columns < 120; ++columns)
    CHECK(progress_line(pace, columns).size() < std::max<std::size_t>(columns, 1));
}

TEST_CASE("progress_line says what it knows") {
  Pace pace{.name = "-", .step = "reading", .done_bytes = 40'000'000, .total_bytes = 0, .seconds = 2};
  CHECK(progress_line(pace, 80) == "-  reading  40 MB  20 MB/s");
  pace.total_bytes = 40'000'000'000;
  CHECK(progress_line(pace, 80) == "-  reading  [....................]    0 %  20 MB/s  34 min left");
  pace.done_bytes = pace.total_bytes + 1; // the file grew
  CHECK(progress_line(pace, 80).find("100 %") != std::string::npos);
  pace = {.name = "-", .step = "reading", .done_bytes = 0, .total_bytes = 1, .seconds = 0};
  CHECK(progress_line(pace, 80) == "-  reading  [....................]    0 %  0 MB/s");
}

TEST_CASE("system messages begin small, except where they begin with a name in capitals") {
  CHECK(system_message(ENOENT) == "no such file or directory");
  CHECK(system_message(EIO) == "input/output error");
  CHECK(system_message(EDOTDOT) == "RFS specific error");
}

} // namespace memviz
