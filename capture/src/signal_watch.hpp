#pragma once

// A signal of the program -> a call in its own thread, where all may be done that a signal handler may not.

#include <functional>

namespace memviz::capture {

/// Calls `action` whenever `signal` arrives, from now on to the end of the process; `action` must not throw. One watch
/// a process. Returns false, and leaves the signal alone, when the program handles or ignores it itself. Throws
/// std::system_error when there can be no thread.
[[nodiscard]] bool watch_signal(int signal, std::function<void()> action);

} // namespace memviz::capture
