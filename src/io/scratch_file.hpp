#pragma once

// A file without a name, in the folder of TMPDIR, else in /tmp, for bytes that wait or are passed to another program.
// Nothing is left of it, whatever happens. For POSIX.

#include "io/signals.hpp"

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

class ScratchFile {
public:
  /// All members throw Error if the system has no room for it.
  ScratchFile();
  void write(std::string_view bytes);
  /// Passes the written bytes to `take`, from the first byte on, piece by piece.
  void read(const std::function<void(std::string_view)>& take);

  /// Rewinds to the first byte, for a program that reads the written bytes.
  [[nodiscard]] int rewound();
  [[nodiscard]] int descriptor() const { return fileno(file_.get()); }

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// A scratch file for a library that opens its file itself: it has a name during its lifetime, and a signal removes it.
class NamedScratchFile {
public:
  /// Throws Error if the system has no room for it.
  NamedScratchFile();
  NamedScratchFile(const NamedScratchFile&) = delete;
  NamedScratchFile& operator=(const NamedScratchFile&) = delete;
  ~NamedScratchFile();

  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
  std::optional<RemovalOnSignal> removal_;
};

/// Passes the bytes of a file to `take`, piece by piece, each after the last `overlap` bytes of the previous one.
/// Throws Error.
void read_pieces(const std::string& path, std::size_t overlap, const std::function<void(std::string_view)>& take);

} // namespace memviz
