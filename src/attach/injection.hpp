#pragma once

// A Python process that knows nothing of memviz -> a connection on which it answers like one that memviz recorded.
// A text that Python executes in it starts a thread, which loads memviz's recorder from a private folder, answers, and
// leaves no module, file or memory behind.

#include "attach/answer.hpp"
#include "attach/process.hpp"
#include "io/descriptor.hpp"
#include "io/temporary_folder.hpp"

#include <filesystem>
#include <string>

namespace memviz::attach {

/// The private folder of one process, and what has been done to that process. At the end of this object the folder is
/// gone; a text that the process has not executed yet then does nothing but free its memory.
class Intrusion {
public:
  /// Gives the process the text. Throws Error, with what is missing, if that cannot be done.
  Intrusion(const Process& process, AttachRequest request);
  Intrusion(const Intrusion&) = delete;
  Intrusion& operator=(const Intrusion&) = delete;
  ~Intrusion();

  /// Returns the connection. Throws NoAnswer if the process executes nothing in time, and those of wait_for_bytes().
  [[nodiscard]] Descriptor connection();
  /// Returns the function of C in which its main thread was; "" if that is unknown.
  [[nodiscard]] const std::string& function() const { return function_; }

private:
  void write_texts();
  /// Uses Python's own way, of 3.14 and later. Returns whether it has accepted the text.
  [[nodiscard]] bool try_python();
  void use_debugger();

  Process process_;
  AttachRequest request_;
  TemporaryFolder folder_;
  Descriptor listener_;
  std::uint64_t page_ = 0;
  std::string function_; ///< in which the main thread was
  /// The text that Python has accepted. Python reports a file that is gone, so this one removes itself if it is
  /// executed later.
  std::filesystem::path accepted_;
  bool is_executed_ = false;
};

} // namespace memviz::attach
