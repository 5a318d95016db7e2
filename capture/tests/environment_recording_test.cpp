#include "memviz/capture/environment_recording.hpp"

#include "temporary_folder.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

using namespace memviz::capture;

namespace {

using Variables = std::map<std::string, std::string>;

/// Sets variables for its lifetime.
class Environment {
public:
  explicit Environment(Variables variables) : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_)
      ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : variables_)
      ::unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

private:
  Variables variables_;
};

bool is_written(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::file_size(path, error) > 100 && !error;
}

} // namespace

TEST_CASE("MEMVIZ_RECORD=1 records: at the end, at a signal, when memory runs out") {
  if (!at::hasCUDA()) {
    MESSAGE("skipped: no CUDA device");
    return;
  }
  const TemporaryFolder folder;
  const Environment environment(Variables{{"MEMVIZ_RECORD", "1"},
                                          {"MEMVIZ_OUT", (folder.path() / "%r.pickle").string()},
                                          {"MEMVIZ_SIGNAL", "USR2"},
                                          {"MEMVIZ_STACK_DEPTH", "0"},
                                          {"MEMVIZ_OOM_DUMPS", "1"}});
  {
    const EnvironmentRecording recording;
    CHECK(recording.is_recording());
    const at::Tensor kept = at::ones({10}, at::kCUDA);
    std::raise(SIGUSR2);
    for (int round = 0; round < 1000 && !is_written(folder.path() / "signal.pickle"); ++round)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(is_written(folder.path() / "signal.pickle"));
    for (int round = 0; round < 2; ++round)
      CHECK_THROWS(at::empty({std::int64_t{1} << 50}, at::TensorOptions(at::kCUDA).dtype(at::kByte)));
    CHECK_FALSE(is_written(folder.path() / "exit.pickle"));
  }
  CHECK(is_written(folder.path() / "exit.pickle"));
  const auto files = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 3);
  std::raise(SIGUSR2); // comes too late for this recording, and is no reason to end
  std::signal(SIGUSR2, SIG_DFL);
}

TEST_CASE("without MEMVIZ_RECORD nothing is recorded") {
  CHECK_FALSE(EnvironmentRecording().is_recording());
  const Environment environment(Variables{{"MEMVIZ_RECORD", "0"}});
  CHECK_FALSE(EnvironmentRecording().is_recording());
}

TEST_CASE("a recording that the environment asks for in vain is no reason to end") {
  const Environment environment(Variables{{"MEMVIZ_RECORD", "1"}, {"MEMVIZ_OUT", "/no/such/folder/"}});
  CHECK_FALSE(EnvironmentRecording().is_recording());
}
