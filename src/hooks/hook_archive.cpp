#include "hooks/hook_archive.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

namespace memviz::hooks {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kVersion = 20;                ///< of the format: 2.0
constexpr std::uint32_t kFirstDate = (1U << 5U) | 1U; ///< 1 January 1980

void append16(std::string& bytes, std::size_t value) {
  for (const unsigned shift : {0U, 8U})
    bytes += static_cast<char>((value >> shift) & 0xffU);
}

void append32(std::string& bytes, std::size_t value) {
  append16(bytes, value & 0xffffU);
  append16(bytes, value >> 16U);
}

/// The part that both headers of a file have in common, without the signature.
std::string facts_of(std::string_view name, std::string_view text) {
  const auto* const bytes = reinterpret_cast<const Bytef*>(text.data()); // NOLINT(*-reinterpret-cast)
  std::string facts;
  append16(facts, kVersion);
  append16(facts, 0); // flags
  append16(facts, 0); // not compressed
  append16(facts, 0); // time
  append16(facts, kFirstDate);
  append32(facts, ::crc32(0, bytes, static_cast<uInt>(text.size())));
  append32(facts, text.size());
  append32(facts, text.size());
  append16(facts, name.size());
  append16(facts, 0); // extra fields
  return facts;
}

} // namespace

std::string zip_of(std::span<const std::pair<std::string_view, std::string_view>> files) {
  std::string archive;
  std::string directory;
  for (const auto& [name, text] : files) {
    const std::string facts = facts_of(name, text);
    append32(directory, kCentralHeader);
    append16(directory, kVersion);
    directory += facts;
    append16(directory, 0); // comment
    append16(directory, 0); // disk
    append16(directory, 0); // attributes
    append32(directory, 0);
    append32(directory, archive.size());
    directory += name;
    append32(archive, kLocalHeader);
    archive += facts;
    archive += name;
    archive += text;
  }
  const std::size_t start = archive.size();
  archive += directory;
  append32(archive, kEnd);
  append32(archive, 0); // disks
  append16(archive, files.size());
  append16(archive, files.size());
  append32(archive, directory.size());
  append32(archive, start);
  append16(archive, 0); // comment
  return archive;
}

/// The descriptor is never closed: the program inherits it.
std::filesystem::path path_in_memory(std::string_view bytes) {
  const int file = ::memfd_create("memviz-hook", 0);
  if (file < 0) throw Error("cannot keep a file in memory: " + system_message(errno));
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw Error("cannot write to a file in memory: " + system_message(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file);
}

} // namespace memviz::hooks
