#pragma once

// Names and contents -> the bytes of a zip archive, including ones that no honest writer makes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::test {

struct ZipEntry {
  std::string name;
  std::string content;
  bool is_deflated = false;
  bool is_zip64 = false;                          ///< sizes in the extra field, as large archives have them
  std::uint16_t flags = 0;                        ///< 1: encrypted
  std::optional<std::uint16_t> method = {};       ///< as the headers say it
  std::optional<std::uint32_t> stated_bytes = {}; ///< uncompressed, as the headers say it
  std::optional<std::uint32_t> checksum = {};     ///< as the headers say it
  std::optional<std::size_t> shares_data_of = {}; ///< the headers point to the data of this earlier entry
};

[[nodiscard]] std::string zip_archive(const std::vector<ZipEntry>& entries);

/// Returns an archive of the flat layout with this JSON as its program.
[[nodiscard]] std::string flat_program(std::string_view json);

} // namespace memviz::test
