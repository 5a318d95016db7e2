#include "signal_watch.hpp"

#include <cerrno>
#include <csignal>
#include <semaphore.h>
#include <thread>
#include <utility>

namespace memviz::capture {
namespace {

sem_t signal_arrived; // what a signal handler may touch

void on_signal(int) {
  const int saved = errno;
  sem_post(&signal_arrived);
  errno = saved;
}

/// Inherited by the thread of a watch: the program's signals are for the program's own threads.
class NoSignals {
public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

private:
  sigset_t before_{};
};

} // namespace

bool watch_signal(int signal, std::function<void()> action) {
  struct sigaction handler {};
  if (sigaction(signal, nullptr, &handler) != 0 || handler.sa_handler != SIG_DFL) return false;
  sem_init(&signal_arrived, 0, 0);
  const NoSignals in_thread;
  std::thread([act = std::move(action)] {
    while (true) {
      if (sem_wait(&signal_arrived) == 0) act();
    }
  }).detach();
  handler.sa_handler = on_signal;
  handler.sa_flags = SA_RESTART;
  sigemptyset(&handler.sa_mask);
  return sigaction(signal, &handler, nullptr) == 0;
}

} // namespace memviz::capture
