#include "memviz/capture/recorder.hpp"

#include "libtorch/oom_file_name.hpp"
#include "process_name.hpp"
#include "recorded_file.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace memviz::capture;

namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "(no exception)";
}

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Runs it in a forked child, which has ten seconds; whether it returned true.
bool is_true_in_child(const std::function<bool()>& question) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    bool answer = false;
    try {
      answer = question();
    } catch (...) {}
    ::_exit(answer ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("wrong options are named, with what they may be") {
  Recorder recorder;
  RecorderOptions options = cpu_options();
  const auto start = [&] { return message_of([&] { recorder.start(options); }); };
  SUBCASE("enabled") {
    options.enabled = "some";
    CHECK(start() == R"(RecorderOptions::enabled: "some" is not one of "all", "state")");
  }
  SUBCASE("context") {
    options.context = "ALL";
    CHECK(start() == R"(RecorderOptions::context: "ALL" is not one of "", "state", "alloc", "all")");
  }
  SUBCASE("stacks") {
    options.stacks = "cpp";
    CHECK(start() == R"(RecorderOptions::stacks: "cpp" is not one of "python", "all")");
  }
  SUBCASE("max_entries") {
    options.max_entries = 0;
    CHECK(start() == "RecorderOptions::max_entries: must be at least 1");
  }
  SUBCASE("max_bytes") {
    options.max_bytes = 1;
    CHECK(start() == "RecorderOptions::max_bytes: must be at least 65536");
  }
  SUBCASE("skip_actions") {
    options.skip_actions = {"alloc", "free"};
    CHECK(start().starts_with(R"(RecorderOptions::skip_actions: "free" is not one of "alloc", )"));
  }
  SUBCASE("device") {
    options.device = c10::Device(c10::kMeta);
    CHECK(start() == "RecorderOptions::device: meta is neither cpu nor cuda");
  }
  SUBCASE("oom_directory") {
    options.oom_directory = "/no/such/folder";
    CHECK(start() == "RecorderOptions::oom_directory: /no/such/folder is not a directory");
  }
  CHECK_FALSE(recorder.is_recording());
}

TEST_CASE("one recording at a time") {
  Recorder first;
  Recorder second;
  first.start(cpu_options());
  CHECK(message_of([&] { second.start(cpu_options()); }) == "another Recorder is recording: only one can at a time");
  CHECK(message_of([&] { first.start(cpu_options()); }) == "this Recorder records already: stop() it first");
  CHECK(first.is_recording());
  first.stop();
  second.start(cpu_options());
  CHECK(second.is_recording());
}

TEST_CASE("stop without start does nothing, dump says so") {
  const TemporaryFolder folder;
  Recorder recorder;
  recorder.stop();
  CHECK(message_of([&] { recorder.dump(folder.path() / "a"); }).find("start() was not called") != std::string::npos);
  recorder.start(cpu_options());
  recorder.stop();
  recorder.stop();
  CHECK(message_of([&] { recorder.dump(folder.path() / "a"); }).find("start() was not called") != std::string::npos);
  CHECK(files_in(folder.path()).empty());
}

TEST_CASE("a dump of a device that nothing was allocated on says so") {
  const TemporaryFolder folder;
  // In a child, whose allocator has seen nothing.
  const auto said_by = [&](const std::function<void()>& between) {
    const auto log = folder.path() / "stderr";
    CHECK(is_true_in_child([&] {
      if (std::freopen(log.c_str(), "w", stderr) == nullptr) return false;
      RecorderOptions options = cpu_options();
      options.enabled = "state";
      Recorder recorder;
      recorder.start(options);
      between();
      recorder.dump(folder.path() / "a.pickle");
      return std::fflush(stderr) == 0;
    }));
    return content_of(log);
  };
  static at::Tensor kept; // lives until the child has dumped
  CHECK(said_by([] { kept = at::ones({10}); }).empty());
  CHECK(said_by([] {}).find("a.pickle: empty: no tensor was allocated on the CPU") != std::string::npos);
}

TEST_CASE("a dump that cannot be written leaves what was there") {
  const TemporaryFolder folder;
  Recorder recorder;
  recorder.start(cpu_options());
  const at::Tensor kept = at::ones({10});
  SUBCASE("no such folder") {
    const auto path = folder.path() / "none" / "a.pickle";
    CHECK(message_of([&] { recorder.dump(path); }).find(path.string()) != std::string::npos);
  }
  SUBCASE("/dev/full") {
    CHECK(message_of([&] { recorder.dump("/dev/full"); }).find("/dev/full") != std::string::npos);
    CHECK(std::filesystem::is_character_file("/dev/full"));
  }
  SUBCASE("the disk is full in the middle, beside an earlier file") {
    const auto path = folder.path() / "a.pickle";
    recorder.dump(path);
    const std::string before = content_of(path);
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const std::string message = message_of([&] { recorder.dump(path); });
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    CHECK(message.find(path.string()) != std::string::npos);
    CHECK(content_of(path) == before);
    CHECK(files_in(folder.path()) == std::vector<std::string>{"a.pickle"});
  }
  CHECK(recorder.is_recording());
  recorder.dump(folder.path() / "b.pickle");
  CHECK(std::filesystem::file_size(folder.path() / "b.pickle") > 0);
}

TEST_CASE("a forked child does not record, and does not hang") {
  const TemporaryFolder folder;
  RecorderOptions options = cpu_options();
  options.oom_directory = folder.path();
  Recorder recorder;
  recorder.start(options);
  std::atomic<bool> goes_on = true;
  // Takes the locks over and over, so that a fork comes while they are taken.
  std::thread other([&goes_on] {
    while (goes_on) {
      const Annotation annotation("other thread");
      const at::Tensor tensor = at::empty({100});
    }
  });
  bool is_good = true;
  for (int i = 0; i < 20 && is_good; ++i) {
    is_good = is_true_in_child([&] {
      const at::Tensor tensor = at::empty({100});
      const Annotation annotation("child");
      if (recorder.is_recording()) return false;
      if (message_of([&] { recorder.dump(folder.path() / "child"); }).find("start()") == std::string::npos)
        return false;
      try {
        at::empty({std::int64_t{1} << 60});
      } catch (const std::exception&) {}
      recorder.stop();
      Recorder own;
      own.start(cpu_options());
      return own.is_recording();
    });
  }
  CHECK(is_good);
  goes_on = false;
  other.join();
  CHECK(files_in(folder.path()).empty());
  CHECK(recorder.is_recording());
  recorder.dump(folder.path() / "parent");
  CHECK(files_in(folder.path()) == std::vector<std::string>{"parent"});
}

TEST_CASE("running out of memory dumps, beside earlier dumps") {
  const TemporaryFolder folder;
  RecorderOptions options = cpu_options();
  options.oom_directory = folder.path();
  options.stacks = "python"; // names of native frames take most of a dump's time
  ::setenv("RANK", "3", 1);
  const auto fail = [] { at::empty({std::int64_t{1} << 60}, at::kByte); };
  {
    Recorder recorder;
    recorder.start(options);
    const at::Tensor kept = at::ones({10});
    for (int i = 0; i < 3; ++i)
      CHECK_THROWS(fail());
    const auto names = files_in(folder.path());
    REQUIRE(names.size() == 3);
    for (const std::string& name : names) {
      CHECK(name.starts_with("oom_rank3_" + host_name() + "_pid" + std::to_string(::getpid()) + "_20"));
      CHECK(name.ends_with(".pickle"));
      CHECK(std::filesystem::file_size(folder.path() / name) > 100);
    }
    for (int i = 0; i < 30; ++i)
      CHECK_THROWS(fail());
    CHECK(files_in(folder.path()).size() == 16); // a program that goes on does not fill the disk
  }
  CHECK_THROWS(fail());
  CHECK(files_in(folder.path()).size() == 16);

  SUBCASE("a folder that went away is no reason to end the program") {
    const TemporaryFolder gone;
    options.oom_directory = gone.path() / "gone";
    std::filesystem::create_directory(options.oom_directory);
    Recorder recorder;
    recorder.start(options);
    std::filesystem::remove(options.oom_directory);
    CHECK(message_of(fail).find("alloc") != std::string::npos);
  }
  SUBCASE("RANK is a number or not used") {
    ::setenv("RANK", "../../x", 1);
    CHECK(reserve_oom_file(folder.path()).path.filename().string().starts_with("oom_rank0_" + host_name() + "_pid"));
  }
  ::unsetenv("RANK");
}
