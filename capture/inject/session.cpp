#include "session.hpp"

#include "snapshot_writer.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <semaphore.h>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace memviz::inject {

namespace {

thread_local bool is_busy = false;
thread_local bool is_dumping = false;
sem_t signal_arrived; // what a signal handler may touch

void on_signal(int) {
  const int saved = errno;
  sem_post(&signal_arrived);
  errno = saved;
}

} // namespace

void say(const std::string& message) noexcept {
  try {
    const std::string line = "memviz_inject: " + message + "\n";
    // One call, so that lines of several threads and processes do not mix; there is no one to tell when it fails.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  } catch (const std::bad_alloc&) { // nothing was said, and nothing is lost but that
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
  if (is_dumping) return {}; // the program ends while this thread writes: its snapshot cannot be finished
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
    path = reserve_path(reason);
    capture::write_snapshot_file(make_snapshot(log_.copy()), path);
    say("wrote " + path.string());
    return path;
  } catch (const std::exception& error) {
    say(std::string("no snapshot written: ") + error.what());
  } catch (...) {
    say("no snapshot written");
  }
  if (!path.empty()) unlink(path.c_str()); // the empty file that kept the name
  return {};
}

std::filesystem::path Session::reserve_path(const std::string& reason) const {
  constexpr std::size_t kMaxNumber = 10'000;
  for (std::size_t number = 0; number < kMaxNumber; ++number) {
    std::filesystem::path path = snapshot_path(options_, process_, reason, number);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0) {
      close(file);
      return path;
    }
    if (errno != EEXIST) throw std::runtime_error(path.string() + ": " + std::generic_category().message(errno));
  }
  throw std::runtime_error(snapshot_path(options_, process_, reason, 0).string() + ": too many snapshots");
}

void Session::dump_at_failure() noexcept {
  // Programs with a caching allocator run into the limit, free their cache and try again, maybe thousands of times.
  if (failure_dumps_.fetch_add(1) < options_.oom_dumps) dump("oom");
}

void Session::watch_signal() {
  if (options_.signal == 0) return;
  struct sigaction action {};
  if (sigaction(options_.signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) {
    say("signal " + std::to_string(options_.signal) + " is in use: no snapshot will be written at it");
    return;
  }
  sem_init(&signal_arrived, 0, 0);
  // Threads inherit the mask: the program's signals are for its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this] { dump_at_signals(); }).detach();
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(options_.signal, &action, nullptr);
  } catch (const std::system_error& error) {
    say(std::string("no snapshot will be written at a signal: ") + error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Session::dump_at_signals() noexcept {
  while (true) {
    if (sem_wait(&signal_arrived) == 0) dump("signal");
  }
}

} // namespace memviz::inject
