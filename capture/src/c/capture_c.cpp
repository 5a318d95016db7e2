#include "memviz/memviz_capture.h"

#include "libtorch/recorder.hpp"
#include "memviz/capture/environment_recording.hpp"
#include "memviz/capture/recorder.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::capture {
namespace {

/// Never destroyed, but for the recording that the environment asked for, whose end writes a snapshot.
struct Process {
  std::mutex options_mutex;
  RecorderOptions options;
  Recorder recorder;
  std::mutex environment_mutex;
};

Process& process() {
  static auto* const instance = new Process;
  return *instance;
}

std::unique_ptr<EnvironmentRecording>& environment_recording() {
  static std::unique_ptr<EnvironmentRecording> instance;
  return instance;
}

std::string& last_error() {
  thread_local std::string error;
  return error;
}

/// 0, or -1 with the reason kept.
template <class Action> int attempt(const Action& action) noexcept {
  try {
    action();
    return 0;
  } catch (const std::exception& error) {
    last_error() = error.what();
  } catch (...) {
    last_error() = "unknown error";
  }
  return -1;
}

std::string text_of(const char* text, const char* what) {
  if (text == nullptr) throw std::invalid_argument(std::string(what) + " is null");
  return text;
}

std::size_t number_of(const std::string& option, std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw std::invalid_argument(option + ": \"" + std::string(text) + "\" is not a number");
}

bool switch_of(const std::string& option, std::string_view text) {
  if (text == "0" || text == "1") return text == "1";
  throw std::invalid_argument(option + ": \"" + std::string(text) + "\" is neither 0 nor 1");
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

void set_option(RecorderOptions& options, const std::string& option, const std::string& value) {
  if (option == "enabled") {
    options.enabled = value;
  } else if (option == "context") {
    options.context = value;
  } else if (option == "stacks") {
    options.stacks = value;
  } else if (option == "max_entries") {
    options.max_entries = number_of(option, value);
  } else if (option == "max_bytes") {
    options.max_bytes = number_of(option, value);
  } else if (option == "device") {
    options.device = value.empty() ? std::nullopt : std::optional(c10::Device(value));
  } else if (option == "with_cpu") {
    options.with_cpu = switch_of(option, value);
  } else if (option == "skip_actions") {
    options.skip_actions = words_of(value);
  } else if (option == "oom_directory") {
    options.oom_directory = value;
  } else if (option == "oom_dumps") {
    options.oom_dumps = number_of(option, value);
  } else {
    throw std::invalid_argument("there is no option \"" + option + "\"");
  }
}

} // namespace
} // namespace memviz::capture

using namespace memviz::capture; // NOLINT(google-build-using-namespace): C functions have no namespace

int memviz_capture_version() {
  return 1;
}

int memviz_capture_set(const char* option, const char* value) {
  return attempt([&] {
    const std::lock_guard lock(process().options_mutex);
    set_option(process().options, text_of(option, "option"), text_of(value, "value"));
  });
}

int memviz_capture_start() {
  return attempt([] {
    RecorderOptions options;
    {
      const std::lock_guard lock(process().options_mutex);
      options = process().options;
    }
    process().recorder.start(options);
  });
}

int memviz_capture_stop() {
  return attempt([] {
    {
      const std::lock_guard lock(process().environment_mutex);
      environment_recording().reset();
    }
    process().recorder.stop();
  });
}

int memviz_capture_is_recording() {
  const std::lock_guard lock(process().environment_mutex);
  const bool is_environment = environment_recording() != nullptr && environment_recording()->is_recording();
  return is_environment || process().recorder.is_recording() ? 1 : 0;
}

int memviz_capture_dump(const char* path) {
  return attempt([&] { process().recorder.dump(text_of(path, "path")); });
}

int memviz_capture_begin_annotation(const char* name) {
  return attempt([&] { report_annotation(text_of(name, "name"), "START"); });
}

int memviz_capture_end_annotation(const char* name) {
  return attempt([&] { report_annotation(text_of(name, "name"), "END"); });
}

int memviz_capture_mark(const char* name) {
  return attempt([&] {
    const std::string text = text_of(name, "name");
    report_annotation(text, "START");
    report_annotation(text, "END");
  });
}

int memviz_capture_start_from_environment() {
  return attempt([] {
    const std::lock_guard lock(process().environment_mutex);
    if (environment_recording() == nullptr) environment_recording() = std::make_unique<EnvironmentRecording>();
  });
}

const char* memviz_capture_last_error() {
  return last_error().c_str();
}
