#include "memviz/capture/environment_recording.hpp"

#include "environment.hpp"
#include "memviz/capture/recorder.hpp"
#include "signal_watch.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memviz::capture {

struct EnvironmentRecording::State {
  EnvironmentOptions options;
  Recorder recorder;
  std::mutex dumping;

  void dump(const std::string& reason) noexcept;
};

namespace {

void say(const std::string& message) {
  std::fprintf(stderr, "memviz: %s\n", message.c_str());
}

/// A Recorder has different defaults from the inject library.
EnvironmentOptions defaults() {
  const RecorderOptions recorder;
  EnvironmentOptions options;
  options.max_entries = recorder.max_entries;
  return options;
}

RecorderOptions recorder_options(const EnvironmentOptions& environment) {
  std::error_code error;
  RecorderOptions options;
  options.max_entries = environment.max_entries;
  options.stacks = environment.stack_depth == 0 ? "python" : "all";
  options.oom_dumps = environment.oom_dumps;
  options.oom_directory =
      std::filesystem::is_directory(environment.out, error) ? environment.out : environment.out.parent_path();
  if (options.oom_directory.empty()) options.oom_directory = ".";
  return options;
}

} // namespace

void EnvironmentRecording::State::dump(const std::string& reason) noexcept try {
  const std::lock_guard lock(dumping);
  if (!recorder.is_recording()) return;
  const std::filesystem::path path = reserve_snapshot_path(options, ::getpid(), reason);
  try {
    recorder.dump(path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored); // the empty file that reserved the name
    throw;
  }
  say("snapshot in " + path.string());
} catch (const std::exception& error) {
  std::fprintf(stderr, "memviz: no snapshot: %s\n", error.what());
} catch (...) {
  std::fprintf(stderr, "memviz: no snapshot\n");
}

EnvironmentRecording::EnvironmentRecording() {
  try {
    start();
  } catch (const std::exception& error) {
    say(std::string("MEMVIZ_RECORD: nothing is recorded: ") + error.what());
  }
}

void EnvironmentRecording::start() {
  EnvironmentOptions options = read_environment(::getenv, defaults());
  for (const std::string& warning : options.warnings)
    say(warning);
  if (!options.is_on) return;
  const auto state = std::make_shared<State>();
  state->options = std::move(options);
  state->recorder.start(recorder_options(state->options));
  state_ = state;
  if (state->options.signal == 0) return;
  const auto dump_if_alive = [weak = std::weak_ptr(state)] {
    if (const auto alive = weak.lock()) alive->dump("signal");
  };
  if (!watch_signal(state->options.signal, dump_if_alive)) {
    say("signal " + std::to_string(state->options.signal) + " is in use: no snapshot will be written at it");
  }
}

EnvironmentRecording::~EnvironmentRecording() {
  if (state_ != nullptr) state_->dump("exit");
}

bool EnvironmentRecording::is_recording() const {
  return state_ != nullptr && state_->recorder.is_recording();
}

} // namespace memviz::capture
