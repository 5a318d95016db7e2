#pragma once

// Path -> the bytes of the file as they are on disk, compressed or not. The only code that maps and reads files, for
// POSIX.

#include "memviz/input.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace memviz {

/// An open file, pipe or standard input (`-`).
class FileBytes {
public:
  /// Throws Error for a file that is missing, a directory or not readable; with `regular_only` also, immediately, for a
  /// pipe or a device, which may block or never end.
  explicit FileBytes(const std::string& path, bool regular_only = false);
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() = default;

  /// Fills at most `room`; returns 0 at the end. Throws Error.
  std::size_t read(std::span<char> room);
  /// Returns the next bytes, valid until the next call; empty at the end, at least six before it. Throws Error.
  std::string_view next_piece();

  /// Returns the size of a regular file; 0 if it is unknown.
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return total_bytes_; }
  [[nodiscard]] std::uint64_t done_bytes() const noexcept { return done_bytes_; }
  /// Maps the whole of a regular file. Returns nullopt if it cannot be mapped, like pipes and some virtual file
  /// systems.
  [[nodiscard]] std::optional<Input> map() const;

private:
  /// Closed by the destructor, except standard input.
  struct Descriptor {
    explicit Descriptor(int opened) : number(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
    int number;
  };

  std::string path_;
  Descriptor descriptor_;
  struct stat status_ {}; ///< when it was opened
  std::uint64_t total_bytes_ = 0;
  std::uint64_t done_bytes_ = 0;
  std::vector<char> piece_;
};

/// Whether `path` is the file, under any name, that standard input comes from.
[[nodiscard]] bool is_standard_input(const std::string& path);

} // namespace memviz
