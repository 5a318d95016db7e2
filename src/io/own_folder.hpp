#pragma once

// A folder whose contents only this user and root can change, for code that programs will run. Everything is checked
// through open descriptors, so that nothing can be exchanged between the check and the use. For POSIX.

#include "io/descriptor.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// A folder that belongs to this user, and to which its mode and those of all folders above it deny others write
/// access.
class OwnFolder {
public:
  /// Opens the folder `name` in `place`, whose symbolic links are followed; creates missing parts of both for this user
  /// alone. If `name` belongs to this user and others have access, removes that access. Throws Error if others may
  /// write to a folder on the way, if `name` belongs to another user, or if something is not a folder.
  static OwnFolder make(const std::filesystem::path& place, const std::string& name);

  /// Returns a folder in it; nullopt if it is missing, a link, another user's, or accessible to others.
  [[nodiscard]] std::optional<OwnFolder> folder(const std::string& name) const;
  /// Whether a file in it that is not a link, belongs to this user, and is not accessible to others has exactly this
  /// content.
  [[nodiscard]] bool has_file(const std::string& name, std::string_view content) const;
  /// Returns the names of all entries, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Returns the path, without symbolic links.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  OwnFolder(Descriptor descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Descriptor descriptor_;
  std::filesystem::path path_;
};

/// Creates a folder for this user alone, named `name` and six letters, in an existing `place`, whose symbolic links are
/// followed; returns its path without links. Throws Error if others may exchange entries of that place.
[[nodiscard]] std::filesystem::path make_private_folder(const std::filesystem::path& place, const std::string& name);

/// Creates the same in the folder of TMPDIR; in /tmp if there is no TMPDIR, or if others may write to it.
[[nodiscard]] std::filesystem::path make_private_temporary_folder(const std::string& name);

} // namespace memviz
