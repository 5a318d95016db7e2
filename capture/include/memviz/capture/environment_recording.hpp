#pragma once

// A recording that the environment asks for, so that a program that was built with it is recorded without a new build:
// MEMVIZ_RECORD=1 ./program. The same variables steer libmemviz_inject.so.

#include <memory>

namespace memviz::capture {

/// Lives from the beginning of main() to its end. With MEMVIZ_RECORD=1 it records as a Recorder does, and writes
/// snapshots to MEMVIZ_OUT: at its end, when MEMVIZ_SIGNAL arrives, and when memory runs out. Without, it does nothing.
/// Never throws: what goes wrong is a line on stderr, and the program goes on unrecorded.
class EnvironmentRecording {
public:
  EnvironmentRecording();
  /// Writes the last snapshot, and stops. In a forked child it does nothing.
  ~EnvironmentRecording();
  EnvironmentRecording(const EnvironmentRecording&) = delete;
  EnvironmentRecording& operator=(const EnvironmentRecording&) = delete;

  [[nodiscard]] bool is_recording() const;

private:
  struct State;
  void start();

  std::shared_ptr<State> state_; ///< null without MEMVIZ_RECORD=1; the thread that waits for the signal looks at it
};

} // namespace memviz::capture
