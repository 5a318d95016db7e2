#include "io/signals.hpp"

#include "base/printable.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <pthread.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace memviz {

namespace {

// A handler may use only plain memory like this and lock-free atomics, and call only functions that POSIX lists as
// async-signal-safe.
struct UnfinishedOutput {
  std::atomic<bool> is_taken = false;
  std::atomic<const char*> path = nullptr;
};
static_assert(std::atomic<const char*>::is_always_lock_free);
/// The maximum number of outputs that are removed at once; others are left.
std::array<UnfinishedOutput, 64> unfinished_outputs;
volatile std::sig_atomic_t has_line = 0;
std::atomic<pid_t> helper = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

struct LostMapping {
  std::atomic<bool> is_taken = false;
  std::atomic<std::uintptr_t> start = 0;
  std::atomic<std::size_t> bytes = 0;
  std::atomic<const std::string*> message = nullptr; ///< set last and cleared first
};
static_assert(std::atomic<const std::string*>::is_always_lock_free && std::atomic<std::size_t>::is_always_lock_free);
/// The maximum number of mapped files with a name in the message.
std::array<LostMapping, 16> mappings;

/// Reserves a free one; returns its index, or the count if all are taken.
template <class Slots> std::size_t take_slot(Slots& slots) {
  std::size_t slot = 0;
  while (slot < slots.size() && slots[slot].is_taken.exchange(true))
    ++slot;
  return slot;
}

struct IgnoredSignal {
  int number = 0;
  bool was_ignored = false; ///< by the parent of this process
};
std::array<IgnoredSignal, 2> ignored_signals{{{SIGPIPE}, {SIGXFSZ}}};

constexpr std::array<int, 3> kEndingSignals{SIGINT, SIGTERM, SIGHUP};

void write_error(std::string_view text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

void leave_nothing() {
  if (const pid_t program = helper; program > 0) ::kill(program, SIGKILL); // it blocks SIGTERM
  for (const UnfinishedOutput& output : unfinished_outputs)
    if (const char* const path = output.path; path != nullptr) ::unlink(path);
  if (has_line != 0) write_error("\r\x1b[K");
}

extern "C" void end_by_signal(int number) {
  leave_nothing();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

extern "C" void end_by_lost_mapping(int number, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  leave_nothing();
  for (const LostMapping& mapping : mappings) {
    const std::string* const message = mapping.message;
    if (message == nullptr || address - mapping.start >= mapping.bytes) continue;
    write_error(*message);
    ::_exit(1);
  }
  std::signal(number, SIG_DFL); // and is raised again when the handler returns
}

sigset_t ending_signals() {
  sigset_t signals{};
  sigemptyset(&signals);
  for (const int number : kEndingSignals)
    sigaddset(&signals, number);
  return signals;
}

} // namespace

void install_signal_handlers() {
  for (IgnoredSignal& one : ignored_signals)
    one.was_ignored = std::signal(one.number, SIG_IGN) == SIG_IGN;
  struct sigaction on_lost_mapping {};
  on_lost_mapping.sa_sigaction = end_by_lost_mapping;
  on_lost_mapping.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &on_lost_mapping, nullptr);
  for (const int number : kEndingSignals) {
    // nohup and shells start programs with some of them ignored; these stay ignored.
    if (std::signal(number, end_by_signal) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

std::vector<int> signals_ignored_for_itself() {
  std::vector<int> numbers;
  for (const IgnoredSignal& one : ignored_signals)
    if (!one.was_ignored) numbers.push_back(one.number);
  return numbers;
}

void end_on_signal(pid_t program) {
  helper = program;
}

void clear_line_on_signal(bool is_shown) {
  has_line = is_shown ? 1 : 0;
}

SignalDelay::SignalDelay() {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

SignalDelay::~SignalDelay() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

RemovalOnSignal::RemovalOnSignal(const std::string& path) : slot_(take_slot(unfinished_outputs)) {
  if (slot_ < unfinished_outputs.size()) unfinished_outputs[slot_].path = path.c_str();
}

RemovalOnSignal::~RemovalOnSignal() {
  if (slot_ == unfinished_outputs.size()) return;
  unfinished_outputs[slot_].path = nullptr;
  unfinished_outputs[slot_].is_taken = false;
}

LostMappingNotice::LostMappingNotice(const void* start, std::size_t bytes, const std::string& file)
    : message_("memviz: " + printable(file) +
               ": was cut short or could not be read while it was in use; run it again when the file is complete\n"),
      slot_(take_slot(mappings)) {
  if (slot_ == mappings.size()) return;
  mappings[slot_].start = reinterpret_cast<std::uintptr_t>(start);
  mappings[slot_].bytes = bytes;
  mappings[slot_].message = &message_;
}

LostMappingNotice::~LostMappingNotice() {
  if (slot_ == mappings.size()) return;
  mappings[slot_].message = nullptr;
  mappings[slot_].is_taken = false;
}

} // namespace memviz
