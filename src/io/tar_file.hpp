#pragma once

// Bytes -> the entries of a tar archive: ustar, and the names of GNU tar and pax. Read here, because no library that
// does is as small as its 512-byte headers.

#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The number of first bytes that looks_like_tar() needs.
inline constexpr std::size_t kTarHeaderBytes = 512;

/// Whether the bytes begin with a tar header whose checksum holds.
[[nodiscard]] bool looks_like_tar(std::string_view bytes);

struct TarEntry {
  std::string name;
  std::string_view content;
};

/// Returns the regular files of an archive; contents point into `bytes`. Throws ParseError for a header that is damaged
/// and content that the archive is too short for.
[[nodiscard]] std::vector<TarEntry> tar_entries(std::string_view bytes);

} // namespace memviz
