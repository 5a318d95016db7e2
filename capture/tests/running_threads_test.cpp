#include "running_threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using memviz::capture::wait_until_threads_moved;
using namespace std::chrono_literals;

TEST_CASE("a thread that runs is waited for until it has moved") {
  std::atomic<bool> goes_on = true;
  std::atomic<std::uint64_t> turns = 0;
  std::thread other([&] {
    while (goes_on)
      ++turns;
  });
  while (turns == 0)
    std::this_thread::yield();
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t before = turns;
    wait_until_threads_moved(10s);
    CHECK(turns > before);
  }
  goes_on = false;
  other.join();
}

TEST_CASE("a thread that sleeps is not waited for") {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_done; });
  });
  std::this_thread::sleep_for(50ms);
  const auto begin = std::chrono::steady_clock::now();
  wait_until_threads_moved(30s);
  CHECK(std::chrono::steady_clock::now() - begin < 20s);
  {
    const std::lock_guard lock(mutex);
    is_done = true;
  }
  changed.notify_one();
  other.join();
}
