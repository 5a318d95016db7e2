#include "call_stack.hpp"
#include "session.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using memviz::inject::Options;
using memviz::inject::Session;
namespace fs = std::filesystem;

namespace {

/// A folder that is removed with the test.
class Folder {
public:
  Folder() : path_(fs::temp_directory_path() / ("memviz_inject_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

private:
  fs::path path_;
};

Session& session_in(const fs::path& out, int signal = 0) {
  Options options;
  options.out = out;
  options.signal = signal;
  options.oom_dumps = 2;
  options.max_entries = 10'000;
  return *new Session(options); // sessions are never destroyed
}

void allocate(Session& session, std::uint64_t address, std::uint64_t bytes) {
  memviz::inject::Allocation allocation;
  allocation.address = address;
  allocation.size = allocation.requested_size = bytes;
  allocation.function = "cuMemAlloc";
  const memviz::inject::CallStack stack(32);
  session.log().allocated(allocation, {stack.addresses(), memviz::inject::now_us()});
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("inject session: a snapshot never replaces another") {
  const Folder folder;
  Session& session = session_in(folder.path());
  allocate(session, 0x1000, 1024);
  const fs::path first = session.dump("exit");
  const std::string before = bytes_of(first);
  CHECK(before.substr(0, 2) == "\x80\x04");
  CHECK(before.back() == '.');
  allocate(session, 0x2000, 1024);
  const fs::path second = session.dump("exit");
  CHECK(second != first);
  CHECK(bytes_of(first) == before);
  CHECK(bytes_of(second).size() > before.size());
  CHECK(folder.count() == 2);
}

TEST_CASE("inject session: failures are dumped as often as was asked") {
  const Folder folder;
  Session& session = session_in(folder.path());
  for (int failure = 0; failure < 5; ++failure)
    session.dump_at_failure();
  CHECK(folder.count() == 2);
}

TEST_CASE("inject session: a path that cannot be written leaves nothing, and the program goes on") {
  const Folder folder;
  CHECK(session_in(folder.path() / "missing" / "%p.pickle").dump("exit").empty());
  CHECK(session_in("/dev/null/x.pickle").dump("exit").empty());
  CHECK(folder.count() == 0);
}

TEST_CASE("inject session: a forked child writes nothing") {
  const Folder folder;
  Session& session = session_in(folder.path());
  const pid_t child = fork();
  if (child == 0) _exit(session.dump("exit").empty() ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(folder.count() == 0);
}

TEST_CASE("inject session: a signal writes a snapshot") {
  const Folder folder;
  Session& session = session_in(folder.path() / "%r.pickle", SIGUSR2);
  allocate(session, 0x1000, 1024);
  session.watch_signal();
  raise(SIGUSR2);
  const fs::path expected = folder.path() / "signal.pickle";
  for (int round = 0; round < 500; ++round) {
    if (!bytes_of(expected).empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(bytes_of(expected).size() > 100);
  std::signal(SIGUSR2, SIG_DFL);
}

TEST_CASE("inject session: a signal that the program handles stays the program's") {
  const Folder folder;
  std::signal(SIGUSR1, SIG_IGN);
  session_in(folder.path(), SIGUSR1).watch_signal();
  raise(SIGUSR1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(folder.count() == 0);
  std::signal(SIGUSR1, SIG_DFL);
}

TEST_CASE("inject session: threads allocate while it dumps") {
  const Folder folder;
  Session& session = session_in(folder.path());
  std::atomic<bool> is_done = false;
  std::thread other([&] {
    for (std::uint64_t number = 0; !is_done; ++number)
      allocate(session, 0x1000 * (number % 100), 16);
  });
  for (int round = 0; round < 10; ++round)
    CHECK_FALSE(session.dump("signal").empty());
  is_done = true;
  other.join();
}
