#pragma once

// Waits for what other threads are in the middle of, where they cannot be asked.

#include <chrono>

namespace memviz::capture {

/// Returns once every other thread of the process has run for at least some microseconds since the call, or sleeps, or
/// has ended: so whatever a few instructions of theirs had read before the call is used up. Also returns after
/// `at_most`, and at once where the system does not tell of threads (/proc).
void wait_until_threads_moved(std::chrono::milliseconds at_most);

} // namespace memviz::capture
