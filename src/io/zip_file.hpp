#pragma once

// Bytes -> the entries of a zip archive, through libzip. The only code that uses it.

#include "io/byte_buffer.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct zip;

namespace memviz {

class ZipFile {
public:
  /// `bytes` must outlive this object. Throws Error, with `expected` first, for bytes that are not a zip archive, or
  /// one that no writer makes: entries that overlap or have the same name, or names that lead out of a folder.
  ZipFile(std::string_view bytes, std::string_view expected);
  ZipFile(const ZipFile&) = delete;
  ZipFile& operator=(const ZipFile&) = delete;
  ~ZipFile() = default;

  /// In the order of the archive.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has(std::string_view name) const;
  /// Returns the contents of an entry after verifying its checksum. Throws Error if it is absent, encrypted, compressed
  /// in a way other than deflate, damaged, or out of proportion: see read_archive().
  [[nodiscard]] std::string text(const std::string& name) const;
  /// Appends the contents of the entry with this index in names() to `buffer`, whose limits are all that bounds them.
  /// Throws the same exceptions, except for proportion, and those of the buffer.
  void read(std::size_t index, ByteBuffer& buffer) const;

private:
  struct Close {
    void operator()(::zip* archive) const;
  };

  std::unique_ptr<::zip, Close> archive_;
  std::vector<std::string> names_;
};

} // namespace memviz
