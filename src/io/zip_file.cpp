#include "io/zip_file.hpp"

#include "base/printable.hpp"

#include "memviz/error.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <zip.h>

namespace memviz {
namespace {

constexpr std::uint64_t kAlwaysAllowedBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30U;
/// The JSON of large models deflates to a fortieth.
constexpr std::uint64_t kMostInflation = 200;
constexpr std::size_t kLongestShownName = 120;

std::string shown_entry(std::string_view name) {
  return elided(name, kLongestShownName);
}

std::string zip_message(zip_error_t& error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

/// Whether a name would lead out of the folder in which the archive is unpacked.
bool leads_out(std::string_view name) {
  if (name.starts_with('/') || name.find('\\') != std::string_view::npos) return true;
  if (name.size() > 1 && name[1] == ':') return true;
  while (!name.empty()) {
    const std::size_t end = name.find('/');
    if (name.substr(0, end) == "..") return true;
    name = end == std::string_view::npos ? "" : name.substr(end + 1);
  }
  return false;
}

::zip* opened_zip(std::string_view bytes, std::string_view expected) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) throw Error("cannot be read as a zip archive: " + zip_message(error));
  ::zip* const archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
  if (archive == nullptr) {
    zip_source_free(source);
    throw Error(fmt::format("{}: {}", expected, zip_message(error)));
  }
  zip_error_fini(&error);
  return archive;
}

zip_stat_t stat_of(::zip* archive, std::uint64_t index) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive, index, 0, &stat) != 0) throw Error("the archive's directory is damaged");
  return stat;
}

void require_readable(const std::string& name, const zip_stat_t& stat) {
  if (stat.encryption_method != ZIP_EM_NONE) throw Error(fmt::format("{} is encrypted", shown_entry(name)));
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    throw Error(
        fmt::format("{} is compressed by method {}, expected stored or deflated", shown_entry(name), stat.comp_method));
}

void require_proportion(const std::string& name, const zip_stat_t& stat) {
  const bool is_bomb = stat.size > kAlwaysAllowedBytes && stat.size / kMostInflation > stat.comp_size;
  if (is_bomb || stat.size > kMostBytes)
    throw Error(fmt::format("{} holds {} in {} of the archive: out of proportion", shown_entry(name),
                            format_bytes(stat.size), format_bytes(stat.comp_size)));
}

} // namespace

void ZipFile::Close::operator()(::zip* archive) const {
  zip_discard(archive);
}

ZipFile::ZipFile(std::string_view bytes, std::string_view expected) : archive_(opened_zip(bytes, expected)) {
  const auto count = static_cast<std::size_t>(std::max<zip_int64_t>(zip_get_num_entries(archive_.get(), 0), 0));
  std::set<std::string_view> known;
  std::uint64_t held_bytes = 0;
  names_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const zip_stat_t stat = stat_of(archive_.get(), i);
    names_.emplace_back(stat.name == nullptr ? "" : stat.name);
    if (leads_out(names_.back()))
      throw Error(fmt::format("the archive has an entry outside of it: {}", shown_entry(names_.back())));
    if (!known.insert(names_.back()).second)
      throw Error(fmt::format("the archive has two entries with one name: {}", shown_entry(names_.back())));
    if (stat.comp_size > bytes.size() - held_bytes) throw Error("the archive's entries overlap");
    held_bytes += stat.comp_size;
  }
}

bool ZipFile::has(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

std::string ZipFile::text(const std::string& name) const {
  const auto place = std::ranges::find(names_, name);
  if (place == names_.end()) throw Error(fmt::format("the archive has no {}", shown_entry(name)));
  const auto index = static_cast<std::uint64_t>(place - names_.begin());
  const zip_stat_t stat = stat_of(archive_.get(), index);
  require_readable(name, stat);
  require_proportion(name, stat);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive_.get(), index, 0), zip_fclose);
  if (file == nullptr) throw Error(fmt::format("{}: {}", shown_entry(name), zip_strerror(archive_.get())));
  std::string text(static_cast<std::size_t>(stat.size), '\0');
  std::size_t done = 0;
  // The last read reaches the end, where libzip compares the checksum.
  for (;;) {
    char beyond = 0;
    char* const room = done < text.size() ? text.data() + done : &beyond;
    const zip_int64_t got = zip_fread(file.get(), room, done < text.size() ? text.size() - done : 1);
    if (got < 0) throw Error(fmt::format("{}: {}", shown_entry(name), zip_file_strerror(file.get())));
    if (got == 0) break;
    if (done == text.size())
      throw Error(fmt::format("{} is longer than the archive's directory says", shown_entry(name)));
    done += static_cast<std::size_t>(got);
  }
  if (done != text.size())
    throw Error(fmt::format("{} is shorter than the archive's directory says", shown_entry(name)));
  return text;
}

void ZipFile::read(std::size_t index, ByteBuffer& buffer) const {
  const std::string& name = names_.at(index);
  const zip_stat_t stat = stat_of(archive_.get(), index);
  require_readable(name, stat);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive_.get(), index, 0), zip_fclose);
  if (file == nullptr) throw Error(fmt::format("{}: {}", shown_entry(name), zip_strerror(archive_.get())));
  std::uint64_t done_bytes = 0;
  for (;;) {
    const auto room = buffer.room();
    const zip_int64_t got = zip_fread(file.get(), room.data(), room.size());
    if (got < 0) throw Error(fmt::format("{}: {}", shown_entry(name), zip_file_strerror(file.get())));
    if (got == 0) break;
    done_bytes += static_cast<std::uint64_t>(got);
    buffer.add(static_cast<std::size_t>(got));
  }
  if (done_bytes != stat.size)
    throw Error(fmt::format("{} has {} bytes, where the archive's directory says {}", shown_entry(name), done_bytes,
                            stat.size));
}

} // namespace memviz
