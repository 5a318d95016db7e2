#pragma once

// Bytes -> gzip, zstd, xz and bzip2, for tests of their readers.

#include <string>
#include <string_view>

namespace memviz::test {

[[nodiscard]] std::string gzip(std::string_view bytes);
[[nodiscard]] std::string zstd(std::string_view bytes);
[[nodiscard]] std::string xz(std::string_view bytes);
[[nodiscard]] std::string bzip2(std::string_view bytes);

} // namespace memviz::test
