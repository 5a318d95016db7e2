#include "io/foreground.hpp"

#include "io/signals.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace memviz {

namespace {

/// Every signal that a handler can receive, except those raised by a fault of this process, and those of its child and
/// terminal. SIGTSTP also stops this process.
std::vector<int> passed_on() {
  constexpr std::array kNotPassedOn{SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                    SIGTRAP, SIGSYS,  SIGCHLD, SIGTTIN, SIGTTOU};
  std::vector<int> numbers;
  for (int number = 1; number <= SIGRTMAX; ++number)
    if (std::ranges::find(kNotPassedOn, number) == kNotPassedOn.end()) numbers.push_back(number);
  return numbers;
}

// The state that the signal handler may use: the programs of all threads; 0 is a free place, -1 a taken one.
constexpr pid_t kTaken = -1;
std::array<std::atomic<pid_t>, kMostPrograms> running{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

// Held while a place is taken, and from the start of a program until it has its place.
std::mutex places_mutex;
bool is_ending = false; ///< by end_programs(); changed while places_mutex is held

/// The terminal sends its signals to the whole process group, including the program; a write to a closed pipe and
/// abort() send theirs to this process alone.
extern "C" void pass_on(int number, siginfo_t* info, void*) {
  const int error = errno;
  if (info->si_code <= 0 && info->si_pid != ::getpid())
    for (const std::atomic<pid_t>& place : running)
      if (const pid_t program = place; program > 0) ::kill(program, number);
  if (number == SIGTSTP) ::raise(SIGSTOP);
  errno = error;
}

/// Blocks signals during its lifetime: until it is known which process they are forwarded to.
class HeldSignals {
public:
  HeldSignals() {
    sigset_t signals{};
    sigemptyset(&signals);
    for (const int number : passed_on())
      sigaddset(&signals, number);
    sigprocmask(SIG_BLOCK, &signals, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  [[nodiscard]] const sigset_t& before() const { return before_; }

private:
  sigset_t before_{};
};

/// Has signals forwarded to the programs, from now on.
std::vector<std::pair<int, struct sigaction>> pass_signals_on() {
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  std::vector<std::pair<int, struct sigaction>> all_before;
  const std::vector<int> own = signals_ignored_for_itself();
  for (const int number : passed_on()) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) != 0) continue; // one that the C library uses itself
    // nohup and shells start programs with some of them ignored; these stay ignored.
    if (before.sa_handler == SIG_IGN && std::ranges::find(own, number) == own.end()) continue;
    all_before.emplace_back(number, before);
    sigaction(number, &action, nullptr);
  }
  return all_before;
}

std::mutex passing_mutex;
std::size_t passing_threads = 0;
std::vector<std::pair<int, struct sigaction>> handlers_before; ///< of the signals that are passed on

/// Forwards these signals to the programs during its lifetime, or that of another one in another thread.
class PassedSignals {
public:
  PassedSignals() {
    const std::scoped_lock lock(passing_mutex);
    if (passing_threads++ == 0) handlers_before = pass_signals_on();
  }
  PassedSignals(const PassedSignals&) = delete;
  PassedSignals& operator=(const PassedSignals&) = delete;
  ~PassedSignals() {
    const std::scoped_lock lock(passing_mutex);
    if (--passing_threads > 0) return;
    for (const auto& [number, before] : handlers_before)
      sigaction(number, &before, nullptr);
  }
};

/// Places for the programs of one call, which are free again at its end.
class Places {
public:
  explicit Places(std::size_t count) {
    const std::scoped_lock lock(places_mutex);
    for (std::size_t place = 0; place < running.size() && places_.size() < count; ++place)
      if (running[place] == 0) places_.push_back(place);
    if (places_.size() < count) throw Error("too many programs at once");
    for (const std::size_t place : places_)
      running[place] = kTaken;
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() {
    for (const std::size_t place : places_)
      running[place] = 0;
  }

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] std::atomic<pid_t>& operator[](std::size_t index) const { return running[places_[index]]; }

private:
  std::vector<std::size_t> places_ = {};
};

/// Returns "NAME=VALUE" for each: our environment without the replaced variables.
std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const auto is_it = [&](const auto& variable) { return variable.first == name; };
    if (std::ranges::none_of(variables, is_it)) result.emplace_back(text);
  }
  // If two variables have the same name, the last one counts.
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto is_same = [&](const auto& later) { return later.first == variables[i].first; };
    if (std::any_of(variables.begin() + static_cast<std::ptrdiff_t>(i) + 1, variables.end(), is_same)) continue;
    result.push_back(variables[i].first + '=' + variables[i].second);
  }
  return result;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts)
    result.push_back(const_cast<char*>(text.c_str())); // posix_spawn does not write to them
  result.push_back(nullptr);
  return result;
}

/// The destinations of the program's standard streams, if they are not ours.
class Streams {
public:
  explicit Streams(std::optional<int> output) {
    posix_spawn_file_actions_init(&actions_);
    if (!output) return;
    posix_spawn_file_actions_adddup2(&actions_, *output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, *output, STDERR_FILENO);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_{};
};

/// Starts the program and returns its id; `mask`: the signals that it blocks.
pid_t start(const std::vector<std::string>& words, const Variables& variables, const Streams& streams,
            const sigset_t& mask) {
  const std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  sigset_t defaults{};
  sigemptyset(&defaults);
  for (const int number : signals_ignored_for_itself())
    sigaddset(&defaults, number);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t id = -1;
  const int error = posix_spawnp(&id, arguments.front(), streams.actions(), &attributes, arguments.data(),
                                 environment_pointers.data());
  posix_spawnattr_destroy(&attributes);
  if (error == ENOENT) throw UsageError("no such program: " + words.front());
  if (error != 0) throw UsageError(words.front() + " cannot be started: " + system_message(error));
  return id;
}

void end_all(const Places& places) {
  for (std::size_t index = 0; index < places.size(); ++index)
    if (const pid_t program = places[index]; program > 0) ::kill(program, SIGTERM);
}

/// Starts the program once for each of `variables`; ends all of them if one cannot be started.
void start_all(const Places& places, const std::vector<std::string>& words, const std::vector<Variables>& variables,
               std::optional<int> output) {
  const Streams streams(output);
  const HeldSignals held;
  try {
    for (std::size_t index = 0; index < variables.size(); ++index) {
      const std::scoped_lock lock(places_mutex);
      places[index] = start(words, variables[index], streams, held.before());
      if (is_ending) ::kill(places[index], SIGTERM);
    }
  } catch (...) {
    end_all(places);
    throw;
  }
}

/// Waits for the program with this index.
Ending wait_for(const Places& places, std::size_t index) {
  int status = 0;
  while (waitpid(places[index], &status, 0) < 0)
    if (errno != EINTR) throw Error("waiting for the program: " + system_message(errno));
  places[index] = kTaken;
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status)};
}

/// Reaps a child that is not one of the programs. One that another thread waits for is left to that thread.
void reap_other(pid_t child) {
  {
    const std::scoped_lock lock(places_mutex);
    const auto is_child = [&](const std::atomic<pid_t>& program) { return program == child; };
    if (std::ranges::none_of(running, is_child)) {
      waitpid(child, nullptr, WNOHANG);
      return;
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Waits until one of the programs has ended, which wait_for() then reaps.
std::size_t next_to_end(const Places& places) {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) != 0) {
      if (errno != EINTR) throw Error("waiting for the program: " + system_message(errno));
      continue;
    }
    for (std::size_t index = 0; index < places.size(); ++index)
      if (places[index] == info.si_pid) return index;
    reap_other(info.si_pid);
  }
}

} // namespace

Ending run_in_foreground(const std::vector<std::string>& words, const Variables& variables, std::optional<int> output) {
  const PassedSignals signals;
  const Places places(1);
  start_all(places, words, {variables}, output);
  return wait_for(places, 0);
}

std::vector<Ending> run_in_foreground(const std::vector<std::string>& words, const std::vector<Variables>& variables,
                                      const OnEnd& on_end, std::optional<int> output) {
  const PassedSignals signals;
  const Places places(variables.size());
  start_all(places, words, variables, output);
  std::vector<Ending> endings(variables.size());
  for (std::size_t left = variables.size(); left > 0; --left) {
    const std::size_t index = next_to_end(places);
    endings[index] = wait_for(places, index);
    if (on_end(index)) end_all(places);
  }
  return endings;
}

void end_programs() {
  const std::scoped_lock lock(places_mutex); // a program that is being started has its place afterwards
  is_ending = true;
  for (const std::atomic<pid_t>& place : running)
    if (const pid_t program = place; program > 0) ::kill(program, SIGTERM);
}

void allow_programs() {
  const std::scoped_lock lock(places_mutex);
  is_ending = false;
}

int become(const std::vector<std::string>& words, const Variables& variables) {
  const std::vector<std::string> environment = environment_with(variables);
  const std::vector<int> ignored = signals_ignored_for_itself();
  for (const int number : ignored)
    std::signal(number, SIG_DFL);
  execvpe(words.front().c_str(), pointers_to(words).data(), pointers_to(environment).data());
  const int error = errno;
  for (const int number : ignored)
    std::signal(number, SIG_IGN);
  return error;
}

std::string signal_name(int number) {
  const char* const name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

} // namespace memviz
