#pragma once

// A file without a name, in the folder that TMPDIR names, else in /tmp: for bytes that wait, or are handed to another
// program. Nothing is left of it, whatever happens. For POSIX.

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace memviz {

class ScratchFile {
public:
  /// These throw Error where the system has no room for it.
  ScratchFile();
  void write(std::string_view bytes);
  /// Hands what was written to `take`, from the first byte on, piece by piece.
  void read(const std::function<void(std::string_view)>& take);

  /// At the first byte, for a program that reads what was written.
  [[nodiscard]] int rewound();
  [[nodiscard]] int descriptor() const { return fileno(file_.get()); }

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

} // namespace memviz
