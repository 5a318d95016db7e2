#include "memviz/capture/recorder.hpp"

#include "memviz/capture/allocated_memory.hpp"
#include "process_name.hpp"
#include "temporary_folder.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

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

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Whether there is a GPU; prints a note if there is none.
bool has_gpu() {
  if (!at::hasCUDA()) MESSAGE("skipped: no CUDA device");
  return at::hasCUDA();
}

void run_out_of_memory() {
  CHECK_THROWS(at::empty({std::int64_t{1} << 50}, at::TensorOptions(at::kCUDA).dtype(at::kByte)));
}

} // namespace

TEST_CASE("recorder: wrong options are named, with what they may be") {
  Recorder recorder;
  RecorderOptions options;
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
  SUBCASE("device") {
    options.device = c10::Device(c10::kCPU);
    CHECK(start() == "RecorderOptions::device: cpu is not a CUDA device");
  }
  SUBCASE("oom_directory") {
    options.oom_directory = "/no/such/folder";
    CHECK(start() == "RecorderOptions::oom_directory: /no/such/folder is not a directory");
  }
  CHECK_FALSE(recorder.is_recording());
}

TEST_CASE("recorder: without a GPU a recording is refused") {
  if (at::hasCUDA()) return;
  Recorder recorder;
  CHECK(message_of([&] { recorder.start(); }) == "cannot record on cuda: there is no CUDA device");
}

TEST_CASE("recorder: one recording at a time") {
  if (!has_gpu()) return;
  Recorder first;
  Recorder second;
  first.start();
  CHECK(message_of([&] { second.start(); }) == "another Recorder is recording: only one can at a time");
  CHECK(message_of([&] { first.start(); }) == "this Recorder is recording: call stop() first");
  CHECK(first.is_recording());
  second.stop(); // it does not record: the first goes on
  CHECK(first.is_recording());
  first.stop();
  second.start();
  CHECK(second.is_recording());
}

TEST_CASE("recorder: a device that is not there is refused, and leaves the next recording possible") {
  if (!has_gpu()) return;
  Recorder recorder;
  RecorderOptions options;
  options.device = c10::Device(c10::kCUDA, 100);
  CHECK(message_of([&] { recorder.start(options); }).starts_with("cannot record on cuda:100: there are "));
  recorder.start();
  CHECK(recorder.is_recording());
}

TEST_CASE("recorder: dump without start fails, stop without start does nothing") {
  const TemporaryFolder folder;
  Recorder recorder;
  recorder.stop();
  CHECK(contains(message_of([&] { recorder.dump(folder.path() / "a"); }), "start() was not called"));
  CHECK(folder.names().empty());
}

TEST_CASE("recorder: a dump that cannot be written leaves what was there") {
  if (!has_gpu()) return;
  const TemporaryFolder folder;
  Recorder recorder;
  recorder.start();
  const at::Tensor kept = at::ones({10}, at::kCUDA);
  SUBCASE("no such folder") {
    const auto path = folder.path() / "none" / "a.pickle";
    CHECK(contains(message_of([&] { recorder.dump(path); }), path.string()));
  }
  SUBCASE("the disk is full in the middle, next to an earlier file") {
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
    CHECK(contains(message, path.string()));
    CHECK(content_of(path) == before);
    CHECK(folder.names() == std::vector<std::string>{"a.pickle"});
  }
  CHECK(recorder.is_recording());
  recorder.dump(folder.path() / "b.pickle");
  CHECK(std::filesystem::file_size(folder.path() / "b.pickle") > 0);
}

TEST_CASE("recorder: annotations are in the file, of every thread and of user scopes") {
  if (!has_gpu()) return;
  const TemporaryFolder folder;
  Recorder recorder;
  recorder.start();
  {
    const Annotation annotation("step <1>");
    RECORD_USER_SCOPE("a scope");
  }
  recorder.dump(folder.path() / "a.pickle");
  const std::string bytes = content_of(folder.path() / "a.pickle");
  CHECK(contains(bytes, "step <1>"));
  CHECK(contains(bytes, "a scope"));
}

TEST_CASE("recorder: memory that two parameters share has both in its name, and a module that is gone has no names") {
  if (!has_gpu()) return;
  const TemporaryFolder folder;
  torch::nn::Sequential tied(torch::nn::Linear(16, 16), torch::nn::Linear(16, 16));
  tied->to(at::kCUDA);
  tied[0]->as<torch::nn::Linear>()->weight.set_data(tied[1]->as<torch::nn::Linear>()->weight);
  RecorderOptions options;
  options.names = {tied.ptr()};
  Recorder recorder;
  recorder.start(options);
  recorder.dump(folder.path() / "a.pickle");
  CHECK(contains(content_of(folder.path() / "a.pickle"), "0.weight and 1 more"));
  tied = torch::nn::Sequential(nullptr);
  recorder.dump(folder.path() / "b.pickle");
  CHECK_FALSE(contains(content_of(folder.path() / "b.pickle"), "0.weight"));
}

TEST_CASE("recorder: snapshots are written while other threads allocate, annotate, measure and ask") {
  if (!has_gpu()) return;
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  constexpr int kDumps = 5;
  const TemporaryFolder folder;
  Recorder recorder;
  recorder.start();
  std::atomic<int> refused = 0;
  std::atomic<int> recorded = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const Annotation annotation("a round");
        const AllocatedMemory memory(c10::Device(c10::kCPU));
        const at::Tensor on_gpu = at::empty({1000}, at::kCUDA);
        const at::Tensor on_cpu = at::empty({1000});
        Recorder other;
        refused += contains(message_of([&] { other.start(); }), "another") ? 1 : 0;
        recorded += recorder.is_recording() && memory.delta().allocated >= 4000 ? 1 : 0;
      }
    });
  }
  for (int dump = 0; dump < kDumps; ++dump)
    recorder.dump(folder.path() / (std::to_string(dump) + ".pickle"));
  for (std::thread& thread : threads)
    thread.join();
  CHECK(refused == kThreads * kRounds);
  CHECK(recorded == kThreads * kRounds);
  CHECK(folder.names().size() == kDumps);
}

TEST_CASE("recorder: a forked child does not record, and stops nothing") {
  if (!has_gpu()) return;
  Recorder recorder;
  recorder.start();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    const bool is_good =
        !recorder.is_recording() && contains(message_of([&] { recorder.dump("/tmp/none"); }), "start()");
    recorder.stop();
    ::_exit(is_good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(recorder.is_recording());
}

TEST_CASE("recorder: running out of memory dumps, next to earlier dumps") {
  if (!has_gpu()) return;
  const TemporaryFolder folder;
  RecorderOptions options;
  options.oom_directory = folder.path();
  options.oom_dumps = 3;
  ::setenv("RANK", "3", 1);
  Recorder recorder;
  recorder.start(options);
  for (int i = 0; i < 5; ++i)
    run_out_of_memory();
  const auto names = folder.names();
  CHECK(names.size() == 3); // a program that goes on does not fill the disk
  for (const std::string& name : names) {
    CHECK(name.starts_with("oom_rank3_" + host_name() + "_pid" + std::to_string(::getpid()) + "_20"));
    CHECK(name.ends_with(".pickle"));
    CHECK(std::filesystem::file_size(folder.path() / name) > 100);
  }
  recorder.stop();
  run_out_of_memory();
  CHECK(folder.names().size() == 3);
  ::unsetenv("RANK");
}

TEST_CASE("recorder: where the folder for it is gone, a dump goes to the folder for temporary files") {
  if (!has_gpu()) return;
  const TemporaryFolder temporary;
  const TemporaryFolder gone;
  RecorderOptions options;
  options.oom_directory = gone.path() / "gone";
  std::filesystem::create_directory(options.oom_directory);
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  Recorder recorder;
  recorder.start(options);
  std::filesystem::remove(options.oom_directory);
  run_out_of_memory();
  ::unsetenv("TMPDIR");
  CHECK(temporary.names().size() == 1);
}
