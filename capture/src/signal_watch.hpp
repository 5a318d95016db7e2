#pragma once

// A signal of the program -> a call in a separate thread, where everything is allowed that a signal handler may not do.

#include <functional>

namespace memviz::capture {

/// Calls `action` whenever `signal` arrives, from now on to the end of the process; `action` must not throw. Only one
/// watch per process. Returns false, and leaves the signal alone, if the program handles or ignores it itself. Throws
/// std::system_error if no thread can be started.
[[nodiscard]] bool watch_signal(int signal, std::function<void()> action);

} // namespace memviz::capture
