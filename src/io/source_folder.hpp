#pragma once

// A folder of source files that the user names -> the files in it, for paths that a stranger chose: never a file
// outside of it, never one behind a symbolic link. For POSIX.

#include "io/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

struct SourceFile {
  std::string text;
  std::int64_t modified_ns = 0; ///< since 1970
};

class SourceFolder {
public:
  /// Throws Error where `path` is no folder that can be opened. Symbolic links in `path` itself are followed.
  explicit SourceFolder(const std::string& path);

  /// Absolute paths of the folder, without '/' at the end ("" of "/"): as it is named, and without symbolic links.
  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }
  /// Whether `path` leads from the folder to a regular file, with '/' between plain names.
  [[nodiscard]] bool has(std::string_view path) const;
  /// Returns that file; nothing where it is not there or has more than `most_bytes`.
  [[nodiscard]] std::optional<SourceFile> read(std::string_view path, std::size_t most_bytes) const;

private:
  [[nodiscard]] std::optional<Descriptor> open(std::string_view path) const;

  Descriptor descriptor_;
  std::vector<std::string> paths_;
};

/// Returns when a file was last modified, in nanoseconds since 1970; nothing for what is not a regular file.
[[nodiscard]] std::optional<std::int64_t> modified_ns(const std::string& path);

} // namespace memviz
