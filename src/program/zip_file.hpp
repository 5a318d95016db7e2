#pragma once

// Bytes -> the entries of a zip archive, through libzip. The only code that uses it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct zip;

namespace memviz::program {

class ZipFile {
public:
  /// `bytes` must outlive this object. Throws Error for bytes that are not a zip archive, or one that no writer makes:
  /// entries that overlap or have the same name, or names that lead out of a folder.
  explicit ZipFile(std::string_view bytes);
  ZipFile(const ZipFile&) = delete;
  ZipFile& operator=(const ZipFile&) = delete;
  ~ZipFile() = default;

  /// In the order of the archive.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has(std::string_view name) const;
  /// Returns the contents of an entry after verifying its checksum. Throws Error if it is absent, encrypted, compressed
  /// in a way other than deflate, damaged, or out of proportion: see read_archive().
  [[nodiscard]] std::string text(const std::string& name) const;

private:
  struct Close {
    void operator()(::zip* archive) const;
  };

  std::unique_ptr<::zip, Close> archive_;
  std::vector<std::string> names_;
};

} // namespace memviz::program
