#pragma once

// A process id -> the bytes of a snapshot of its GPU memory, taken by the process itself: through the channel that
// memviz opened in it, else by way of Python or a debugger.

#include "attach/answer.hpp"

#include <functional>
#include <string_view>
#include <sys/types.h>

namespace memviz::attach {

/// Passes the bytes to `take`, piece by piece. Throws Error, with what to do, if there is no snapshot; the process is
/// then as before. Throws Interrupted if a signal arrives that SignalDelay holds back.
void take_snapshot(pid_t id, const AttachRequest& request, const std::function<void(std::string_view)>& take);

} // namespace memviz::attach
