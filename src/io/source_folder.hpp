#pragma once

// A folder of source files that the user names -> the files in it, for untrusted paths: never a file outside it, never
// a hidden one or one in a hidden folder below it, and never through a symbolic link. For POSIX.

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
  /// Throws Error if `path` is not a folder that can be opened. Follows symbolic links in `path` itself.
  explicit SourceFolder(const std::string& path);

  /// Returns the absolute paths of the folder, without '/' at the end ("" for "/"): as given, and without symbolic
  /// links.
  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }
  /// Whether `path` leads from the folder to a regular file, with '/' between plain names.
  [[nodiscard]] bool has(std::string_view path) const;
  /// Returns that file; nullopt if it is missing or larger than `most_bytes`.
  [[nodiscard]] std::optional<SourceFile> read(std::string_view path, std::size_t most_bytes) const;

private:
  [[nodiscard]] std::optional<Descriptor> open(std::string_view path) const;

  Descriptor descriptor_;
  std::vector<std::string> paths_;
};

/// Returns when a file was last modified, in nanoseconds since 1970; nullopt if it is not a regular file.
[[nodiscard]] std::optional<std::int64_t> modified_ns(const std::string& path);

} // namespace memviz
