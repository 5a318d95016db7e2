#include "rehearse/installation.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".profile";
#ifdef __x86_64__
constexpr bool kIsForThisProcessor = true;
#else
constexpr bool kIsForThisProcessor = false;
#endif
constexpr const char* kLibrary = "libmemviz_rehearsal.so";

bool has_library(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kLibrary, ignored);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::uint64_t bytes_of(const fs::path& file, std::string_view key, std::string_view value) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
  if (error != std::errc() || end != value.data() + value.size() || bytes == 0)
    throw UsageError(fmt::format("{}: {} must be a number of bytes above 0, not '{}'", file.string(), key, value));
  return bytes;
}

/// Without its folder and the ending.
std::string stem_of(const fs::path& file) {
  return file.extension() == kEnding ? file.stem().string() : file.filename().string();
}

} // namespace

fs::path own_program() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error("this system does not tell where memviz itself lies; set MEMVIZ_REHEARSAL_DIR");
  return program;
}

fs::path rehearsal_folder(const fs::path& program) {
  if (!kIsForThisProcessor)
    throw Error("the made-up GPU is for Linux on x86-64, and this memviz for another processor");
  std::vector<fs::path> places;
  if (const char* const given = std::getenv("MEMVIZ_REHEARSAL_DIR"); given != nullptr && *given != '\0')
    places = {fs::absolute(given)};
  else
    for (const char* const place : {"rehearsal", "../lib/memviz/rehearsal", "../lib64/memviz/rehearsal",
                                    "../lib/x86_64-linux-gnu/memviz/rehearsal", "../libexec/memviz/rehearsal"})
      places.push_back((program.parent_path() / place).lexically_normal());
  for (const fs::path& place : places)
    if (has_library(place)) return place;
  std::vector<std::string> names;
  for (const fs::path& place : places)
    names.push_back(place.string());
  throw Error(
      fmt::format("the made-up GPU (libmemviz_rehearsal.so) is not there; looked in {}. Build it with memviz, or "
                  "name its folder in MEMVIZ_REHEARSAL_DIR",
                  fmt::join(names, ", ")));
}

fs::path folder_with_names(const fs::path& folder, const fs::path& room) {
  std::vector<std::string> names;
  std::ifstream stream(folder / "names");
  for (std::string line; std::getline(stream, line);)
    names.push_back(line);
  std::error_code ignored;
  if (std::all_of(names.begin(), names.end(), [&](const auto& name) { return fs::exists(folder / name, ignored); }))
    return folder;
  const fs::path library = fs::absolute(folder / kLibrary);
  names.emplace_back(kLibrary);
  fs::create_directory(room);
  for (const std::string& name : names)
    fs::create_symlink(library, room / name);
  return room;
}

std::vector<std::string> profile_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "profiles", error))
    if (entry.is_regular_file(error)) names.push_back(stem_of(entry.path()));
  std::sort(names.begin(), names.end());
  return names;
}

fs::path profile_file(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) {
    if (!fs::is_regular_file(name, ignored)) throw UsageError("--gpu: no such file: " + name);
    return fs::absolute(name);
  }
  for (const std::string& file : {name + std::string(kEnding), name})
    if (!name.empty() && fs::is_regular_file(folder / "profiles" / file, ignored)) return folder / "profiles" / file;
  throw UsageError(fmt::format("--gpu: '{}' is not known; there are {}; a profile of your own has a '/' in its name",
                               name, fmt::join(profile_names(folder), ", ")));
}

Profile read_profile(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw UsageError(file.string() + ": cannot be read");
  Profile profile;
  profile.name = stem_of(file);
  std::string line;
  while (std::getline(stream, line)) {
    const std::string_view text = trimmed(std::string_view(line).substr(0, line.find('#')));
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trimmed(text.substr(0, equals));
    const std::string_view value = trimmed(text.substr(equals + 1));
    if (key == "name" || key == "device") profile.gpu = value;
    if (key == "total_bytes") profile.total_bytes = bytes_of(file, key, value);
    if (key == "context_bytes") profile.context_bytes = bytes_of(file, key, value);
  }
  if (profile.total_bytes == 0) throw UsageError(file.string() + ": no profile of a GPU: 'total_bytes' is missing");
  if (profile.gpu.empty()) profile.gpu = profile.name;
  return profile;
}

} // namespace memviz::rehearse
