#pragma once

// Bytes -> a file that appears whole or not at all: they go to a temporary next to the target, which takes the target's
// place at commit(). The one place that writes and renames files, for POSIX.

#include "io/signals.hpp"
#include "memviz/error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// Whoever reads our standard output has gone, as `head` does: nothing to say, only to stop.
class ReaderGone : public Error {
public:
  using Error::Error;
};

class OutputFile {
public:
  /// `-` is standard output. A symbolic link is followed; a device, pipe or socket is written to directly. Throws
  /// Error, with a message that does not name the path, when it cannot be written.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without a commit() the temporary is removed and whatever was at the target before stays.
  ~OutputFile();

  /// The temporary next to the target, for a library that opens its file itself; "" where the output is written
  /// directly.
  [[nodiscard]] const std::string& beside() const { return temporary_; }
  /// Throws Error when the bytes cannot all be written, ReaderGone when no one reads them.
  void write(std::string_view bytes);
  /// Puts the finished file in its place. Throws Error when the system reports a late failure.
  void commit();

private:
  void open_temporary();

  std::string target_; ///< with symbolic links resolved; "" where it is written directly, like temporary_
  std::string temporary_;
  std::optional<RemovalOnSignal> removal_; ///< of the temporary
  int descriptor_ = -1;
};

/// Throws the Error that an OutputFile for `path` would throw at once, as far as the system shows without writing:
/// before minutes of work that no one would see.
void check_output(const std::string& path);

/// The whole life of an OutputFile for bytes that are in memory.
void write_file(const std::string& path, std::string_view bytes);

} // namespace memviz
