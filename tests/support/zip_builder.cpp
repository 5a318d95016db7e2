#include "support/zip_builder.hpp"

#include <zlib.h>

namespace memviz::test {
namespace {

constexpr std::uint32_t kInExtraField = 0xFFFFFFFF;

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * i) & 0xFFU);
  return text;
}

std::string deflated(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

struct Placed {
  std::uint64_t offset = 0;
  std::string data;
  std::uint32_t checksum = 0;
};

/// Returns the part that both headers share, from the version to the lengths of name and extra field.
std::string common_header(const ZipEntry& entry, const Placed& placed, const std::string& extra) {
  const std::uint64_t method = entry.method.value_or(entry.is_deflated ? 8 : 0);
  const std::uint64_t stated = entry.stated_bytes.value_or(static_cast<std::uint32_t>(entry.content.size()));
  return number(45, 2) + number(entry.flags, 2) + number(method, 2) + number(0, 4) +
         number(entry.checksum.value_or(placed.checksum), 4) +
         number(entry.is_zip64 ? kInExtraField : placed.data.size(), 4) +
         number(entry.is_zip64 ? kInExtraField : stated, 4) + number(entry.name.size(), 2) + number(extra.size(), 2);
}

std::string extra_field(const ZipEntry& entry, const Placed& placed) {
  if (!entry.is_zip64) return "";
  return number(1, 2) + number(16, 2) + number(entry.content.size(), 8) + number(placed.data.size(), 8);
}

} // namespace

std::string zip_archive(const std::vector<ZipEntry>& entries) {
  std::string bytes;
  std::string directory;
  std::vector<Placed> all;
  for (const ZipEntry& entry : entries) {
    Placed placed;
    placed.offset = bytes.size();
    placed.data = entry.is_deflated ? deflated(entry.content) : entry.content;
    placed.checksum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(entry.content.data()), static_cast<uInt>(entry.content.size())));
    const std::string extra = extra_field(entry, placed);
    if (entry.shares_data_of)
      placed.offset = all[*entry.shares_data_of].offset;
    else
      bytes += "PK\3\4" + common_header(entry, placed, extra) + entry.name + extra + placed.data;
    directory += "PK\1\2" + number(45, 2) + common_header(entry, placed, extra) + number(0, 2) + number(0, 2) +
                 number(0, 2) + number(0, 4) + number(placed.offset, 4) + entry.name + extra;
    all.push_back(placed);
  }
  const std::uint64_t start = bytes.size();
  return bytes + directory + "PK\5\6" + number(0, 4) + number(entries.size(), 2) + number(entries.size(), 2) +
         number(directory.size(), 4) + number(start, 4) + number(0, 2);
}

std::string flat_program(std::string_view json) {
  return zip_archive({{"version", "8.2"}, {"serialized_exported_program.json", std::string(json), true}});
}

} // namespace memviz::test
