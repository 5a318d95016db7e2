#pragma once

// The way in which a program that memviz runs ended.

namespace memviz {

struct Ending {
  int exit_code = 0;
  int signal = 0; ///< the signal that ended it; 0: none

  [[nodiscard]] bool is_good() const { return exit_code == 0 && signal == 0; }
  /// Returns the status as a shell shows it: 128 + the signal's number for a program that a signal ended.
  [[nodiscard]] int code() const { return signal == 0 ? exit_code : 128 + signal; }
};

} // namespace memviz
