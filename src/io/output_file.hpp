#pragma once

// Bytes -> a file that appears complete or not at all: they go to a temporary file next to the target, which replaces
// the target at commit(). The only code that writes and renames files, for POSIX.

#include "io/signals.hpp"
#include "memviz/error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// The reader of our standard output has gone, as `head` does: there is nothing to report, only to stop.
class ReaderGone : public Error {
public:
  using Error::Error;
};

class OutputFile {
public:
  /// Opens an output. `-` is standard output. Follows a symbolic link; writes directly to a device, pipe or socket.
  /// Throws Error, with a message that does not name the path, if it cannot be written.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without a commit(), removes the temporary file and leaves whatever was at the target.
  ~OutputFile();

  /// Returns the temporary file next to the target, for a library that opens its file itself; "" if the output is
  /// written directly.
  [[nodiscard]] const std::string& beside() const { return temporary_; }
  /// Throws Error if the bytes cannot all be written, ReaderGone if the reader is gone.
  void write(std::string_view bytes);
  /// Moves the finished file into place. Throws Error if the system reports a late failure.
  void commit();

private:
  void open_temporary();

  std::string target_; ///< with symbolic links resolved; "" where it is written directly, like temporary_
  std::string temporary_;
  std::optional<RemovalOnSignal> removal_; ///< of the temporary
  int descriptor_ = -1;
};

/// Throws the Error that an OutputFile for `path` would throw at once, as far as it can be seen without writing: before
/// minutes of work whose result would be lost.
void check_output(const std::string& path);

/// Writes bytes in memory through an OutputFile.
void write_file(const std::string& path, std::string_view bytes);

} // namespace memviz
