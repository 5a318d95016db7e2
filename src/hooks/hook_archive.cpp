#include "hooks/hook_archive.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <cerrno>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>
#include <zip.h>

namespace memviz::hooks {

namespace {

/// Throws Error unless `succeeded`.
void check(bool succeeded) {
  if (!succeeded) throw Error("cannot make the archive of the hook in memory");
}

/// Adds a file. Its date is the first that the format has, so that equal files make equal archives.
void add_file(zip_t* archive, std::string_view name, std::string_view text) {
  constexpr zip_uint16_t kFirstDate = (1U << 5U) | 1U; // 1 January 1980
  zip_source_t* const source = zip_source_buffer(archive, text.data(), text.size(), 0);
  check(source != nullptr);
  const zip_int64_t added = zip_file_add(archive, std::string(name).c_str(), source, ZIP_FL_ENC_UTF_8);
  if (added < 0) zip_source_free(source);
  check(added >= 0);
  const auto index = static_cast<zip_uint64_t>(added);
  check(zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0);
  check(zip_file_set_dostime(archive, index, 0, kFirstDate, 0) == 0);
}

std::string bytes_of(zip_source_t* source) {
  zip_stat_t facts;
  check(zip_source_stat(source, &facts) == 0 && zip_source_open(source) == 0);
  std::string bytes(facts.size, '\0');
  const zip_int64_t read = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  check(read == static_cast<zip_int64_t>(bytes.size()));
  return bytes;
}

} // namespace

std::string zip_of(std::span<const std::pair<std::string_view, std::string_view>> files) {
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> memory(zip_source_buffer_create(nullptr, 0, 0, nullptr),
                                                                      zip_source_free);
  check(memory != nullptr);
  zip_source_keep(memory.get()); // the archive frees its own reference
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, nullptr),
                                                   zip_discard);
  check(archive != nullptr);
  for (const auto& [name, text] : files)
    add_file(archive.get(), name, text);
  check(zip_close(archive.get()) == 0);
  static_cast<void>(archive.release());
  return bytes_of(memory.get());
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
