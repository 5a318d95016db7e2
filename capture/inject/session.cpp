#include "session.hpp"

#include "signal_watch.hpp"
#include "snapshot_writer.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memviz::inject {

namespace {

thread_local bool is_busy = false;
thread_local bool is_dumping = false;

} // namespace

void say(const std::string& message) noexcept {
  try {
    const std::string line = "memviz_inject: " + message + "\n";
    // One call, so that lines of several threads and processes do not mix; a failure cannot be reported.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  } catch (const std::bad_alloc&) { // the message is lost, and nothing else
  }
}

std::int64_t now_us() noexcept {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count();
}

Busy::Busy() noexcept : is_first_(!is_busy) {
  is_busy = true;
}
Busy::~Busy() {
  if (is_first_) is_busy = false;
}

Session::Session(Options options)
    : options_(std::move(options)), log_({options_.max_entries, options_.max_bytes}), process_(getpid()) {
  for (const std::string& warning : options_.warnings)
    say(warning);
}

bool Session::is_own_process() const {
  return getpid() == process_;
}

std::filesystem::path Session::dump(const std::string& reason) noexcept {
  if (!is_own_process()) return {};
  if (is_dumping) return {}; // the program ends while this thread writes: its snapshot cannot be completed
  const Busy busy;
  is_dumping = true;
  std::filesystem::path path = dump_once(reason);
  is_dumping = false;
  return path;
}

std::filesystem::path Session::dump_once(const std::string& reason) noexcept {
  std::filesystem::path path;
  try {
    const std::lock_guard lock(dump_mutex_);
    path = capture::reserve_snapshot_path(options_, process_, reason);
    capture::write_snapshot_file(make_snapshot(log_.copy()), path);
    say("wrote " + path.string());
    return path;
  } catch (const std::exception& error) {
    say(std::string("no snapshot written: ") + error.what());
  } catch (...) {
    say("no snapshot written");
  }
  if (!path.empty()) unlink(path.c_str()); // the empty file that reserved the name
  return {};
}

void Session::dump_at_failure() noexcept {
  // Programs with a caching allocator run into the limit, free their cache and try again, perhaps thousands of times.
  if (failure_dumps_.fetch_add(1) < options_.oom_dumps) dump("oom");
}

void Session::dump_at_reset() noexcept {
  constexpr std::size_t max_dumps = 3;
  if (reset_dumps_.fetch_add(1) < max_dumps) dump("reset");
}

void Session::watch_signal() {
  if (options_.signal == 0) return;
  try {
    if (capture::watch_signal(options_.signal, [this] { dump("signal"); })) return;
    say("signal " + std::to_string(options_.signal) + " is in use: no snapshot will be written at it");
  } catch (const std::system_error& error) {
    say(std::string("no snapshot will be written at a signal: ") + error.what());
  }
}

} // namespace memviz::inject
