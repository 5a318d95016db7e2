#include "io/tar_file.hpp"

#include "base/printable.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace memviz {

namespace {

// The fields of a header: POSIX 1003.1, pax, "ustar Interchange Format".
constexpr std::size_t kSizeAt = 124;
constexpr std::size_t kChecksumAt = 148;
constexpr std::size_t kTypeAt = 156;
constexpr std::size_t kMagicAt = 257;
constexpr std::size_t kPrefixAt = 345;
constexpr std::size_t kNameBytes = 100;
constexpr std::size_t kPrefixBytes = 155;
constexpr std::size_t kNumberBytes = 12;
constexpr std::size_t kChecksumBytes = 8;

std::string_view text_of(std::string_view field) {
  return field.substr(0, field.find('\0'));
}

/// Returns a number in octal, or, as GNU tar writes those that do not fit, in base 256.
std::optional<std::uint64_t> number_of(std::string_view field) {
  std::uint64_t number = 0;
  if ((static_cast<unsigned char>(field[0]) & 0x80U) != 0) {
    for (const char c : field.substr(field.size() - 8))
      number = number << 8U | static_cast<unsigned char>(c);
    return number;
  }
  field = text_of(field);
  field = field.substr(std::min(field.find_first_not_of(' '), field.size()));
  field = field.substr(0, field.find(' '));
  for (const char c : field) {
    if (c < '0' || c > '7') return std::nullopt;
    number = number << 3U | static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

/// Whether the sum of the header's bytes, its own field counted as spaces, is the one that it states.
bool has_its_checksum(std::string_view header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kTarHeaderBytes; ++i) {
    const bool is_own = i >= kChecksumAt && i < kChecksumAt + kChecksumBytes;
    sum += is_own ? std::uint64_t{' '} : static_cast<unsigned char>(header[i]);
  }
  return number_of(header.substr(kChecksumAt, kChecksumBytes)) == sum;
}

/// Returns the path in the records "LENGTH KEY=VALUE\n" of a pax header; "" if it has none.
std::string pax_path(std::string_view records) {
  constexpr std::string_view kKey = " path=";
  const std::size_t at = records.find(kKey);
  if (at == std::string_view::npos) return "";
  const std::string_view value = records.substr(at + kKey.size());
  return std::string(value.substr(0, value.find('\n')));
}

std::string name_of(std::string_view header) {
  const std::string_view name = text_of(header.substr(0, kNameBytes));
  // GNU tar has other things where ustar has the prefix.
  const bool has_prefix = header.substr(kMagicAt, 6) == std::string_view("ustar\0", 6);
  const std::string_view prefix = has_prefix ? text_of(header.substr(kPrefixAt, kPrefixBytes)) : std::string_view();
  return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
}

constexpr std::size_t rounded_up(std::size_t bytes) {
  return (bytes + kTarHeaderBytes - 1) / kTarHeaderBytes * kTarHeaderBytes;
}

class TarReader {
public:
  explicit TarReader(std::string_view bytes) : bytes_(bytes) {}

  std::vector<TarEntry> entries() {
    std::vector<TarEntry> entries;
    while (has_header())
      read_entry(entries);
    return entries;
  }

private:
  /// Two blocks of zeros end an archive; one, and the end of the file, are taken for it as well.
  [[nodiscard]] bool has_header() const {
    return at_ < bytes_.size() && bytes_.substr(at_, kTarHeaderBytes).find_first_not_of('\0') != std::string_view::npos;
  }

  void read_entry(std::vector<TarEntry>& entries) {
    const std::string_view header = bytes_.substr(at_, kTarHeaderBytes);
    if (header.size() < kTarHeaderBytes || !has_its_checksum(header))
      throw ParseError(at_, "expected the header of an entry of the tar archive, found something else");
    const std::optional<std::uint64_t> size = number_of(header.substr(kSizeAt, kNumberBytes));
    const std::uint64_t left = bytes_.size() - at_ - kTarHeaderBytes;
    const std::string name = long_name_.empty() ? name_of(header) : long_name_;
    if (!size || *size > left)
      throw ParseError(at_, fmt::format("expected {} of the tar archive to have its bytes here, found only {}: is the "
                                        "file cut short?",
                                        elided(name, 120), left));
    const std::string_view content = bytes_.substr(at_ + kTarHeaderBytes, static_cast<std::size_t>(*size));
    at_ = std::min(at_ + kTarHeaderBytes + rounded_up(content.size()), bytes_.size());
    take(header[kTypeAt], name, content, entries);
  }

  void take(char type, const std::string& name, std::string_view content, std::vector<TarEntry>& entries) {
    if (type == 'L') {
      long_name_ = text_of(content);
    } else if (type == 'x') {
      if (std::string path = pax_path(content); !path.empty()) long_name_ = std::move(path);
    } else {
      const bool is_file = type == '0' || type == '\0' || type == '7';
      if (is_file) entries.push_back({name, content});
      long_name_.clear();
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string long_name_; ///< of the next entry
};

} // namespace

bool looks_like_tar(std::string_view bytes) {
  return bytes.size() >= kTarHeaderBytes && bytes.substr(kMagicAt, 5) == "ustar" && has_its_checksum(bytes);
}

std::vector<TarEntry> tar_entries(std::string_view bytes) {
  return TarReader(bytes).entries();
}

} // namespace memviz
