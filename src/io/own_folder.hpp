#pragma once

// A folder whose content no user except this one and root can change, for code that programs will run. Everything is
// looked at through open descriptors, so that nothing can be exchanged between the look and the use. For POSIX.

#include "io/descriptor.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// A folder that belongs to this user, and that its mode and those of all folders above it close to others.
class OwnFolder {
public:
  /// The folder `name` in `place`, whose symbolic links are followed; makes what is missing of both for this user
  /// alone. Where `name` belongs to this user and is open to others, it is closed to them. Throws Error where others
  /// may write to a folder on the way, `name` belongs to another user, or something is no folder.
  static OwnFolder make(const std::filesystem::path& place, const std::string& name);

  /// A folder in it; nothing where that is not there, a link, another user's, or open to others.
  [[nodiscard]] std::optional<OwnFolder> folder(const std::string& name) const;
  /// Whether a file in it, which is not a link, this user's, and closed to others, has exactly this content.
  [[nodiscard]] bool has_file(const std::string& name, std::string_view content) const;
  /// The names of all that is in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// The path, without symbolic links.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  OwnFolder(Descriptor descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Descriptor descriptor_;
  std::filesystem::path path_;
};

/// Makes a folder for this user alone, called `name` and six letters, in a `place` that is there and whose symbolic
/// links are followed; returns its path without links. Throws Error where others may exchange what is in that place.
[[nodiscard]] std::filesystem::path make_private_folder(const std::filesystem::path& place, const std::string& name);

/// The same in the folder that TMPDIR names; in /tmp where there is no TMPDIR, or where others may write to it.
[[nodiscard]] std::filesystem::path make_private_temporary_folder(const std::string& name);

} // namespace memviz
