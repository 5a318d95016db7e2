#pragma once

// A recording requested by the environment, so that a program built with it can be recorded without rebuilding:
// MEMVIZ_RECORD=1 ./program. The same variables control libmemviz_inject.so.

#include <memory>

namespace memviz::capture {

/// An object that lives from the beginning of main() to its end. With MEMVIZ_RECORD=1 it records like a Recorder, and
/// writes snapshots to MEMVIZ_OUT: at its end, when MEMVIZ_SIGNAL arrives, and when memory runs out. Otherwise it does
/// nothing. Never throws: errors are reported on stderr, and the program continues without recording.
class EnvironmentRecording {
public:
  EnvironmentRecording();
  /// Writes the last snapshot, and stops. Does nothing in a forked child.
  ~EnvironmentRecording();
  EnvironmentRecording(const EnvironmentRecording&) = delete;
  EnvironmentRecording& operator=(const EnvironmentRecording&) = delete;

  [[nodiscard]] bool is_recording() const;

private:
  struct State;
  void start();

  std::shared_ptr<State> state_; ///< null without MEMVIZ_RECORD=1; read by the thread that waits for the signal
};

} // namespace memviz::capture
