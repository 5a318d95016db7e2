#pragma once

// A request on a connection to a process -> the bytes of its snapshot, as they arrive. The other side is
// python/memviz_torch/recording/answers.py.

#include "attach/process.hpp"
#include "io/descriptor.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace memviz::attach {

/// A request to a process, and the time that it may take to begin.
struct AttachRequest {
  double record_seconds = 0;   ///< with history on before the snapshot; 0: a snapshot at once
  double timeout_seconds = 10; ///< until the process begins to answer
  bool waits = false;          ///< without the timeout, as long as the process runs
  std::function<void(const std::string&)> say = [](const std::string& /*message*/) {}; ///< for messages meanwhile
};

/// The process did not begin to answer in time.
class NoAnswer {};

/// A signal that ends this program is pending: its work has to be undone first.
class Interrupted {};

/// Throws Interrupted if a signal that SignalDelay holds back has arrived.
void check_signals();

/// Waits until the descriptor can be read, in pieces of time between which it checks for signals and for the end of the
/// process. Returns false after `seconds`, unless these are negative. Throws Interrupted, and Error if the process has
/// ended.
[[nodiscard]] bool wait_for_bytes(const Descriptor& descriptor, const Process& process, double seconds);

/// Sends the request and passes the bytes of the snapshot to `take`, piece by piece. Throws NoAnswer, Interrupted, and
/// Error with the reason if the process cannot take one, ends, or answers with something else.
void receive(const Descriptor& connection, const Process& process, const AttachRequest& request,
             const std::function<void(std::string_view)>& take);

} // namespace memviz::attach
