#include "run/installation.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <system_error>
#include <vector>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

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

} // namespace

fs::path rehearsal_folder(const fs::path& program) {
  if (!kIsForThisProcessor)
    throw Error("the made-up GPU is for Linux on x86-64, and this memviz is for another processor");
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
  throw Error(fmt::format("the made-up GPU (libmemviz_rehearsal.so) is missing; looked in {}. `./run build` in "
                          "memviz's source builds both; or set MEMVIZ_REHEARSAL_DIR to its folder",
                          fmt::join(names, ", ")));
}

fs::path folder_with_names(const fs::path& folder, const fs::path& room) {
  std::vector<std::string> names;
  std::ifstream stream(folder / "names");
  for (std::string line; std::getline(stream, line);)
    names.push_back(line);
  std::error_code ignored;
  if (std::ranges::all_of(names, [&](const auto& name) { return fs::exists(folder / name, ignored); })) return folder;
  const fs::path library = fs::absolute(folder / kLibrary);
  names.emplace_back(kLibrary);
  fs::create_directory(room);
  for (const std::string& name : names)
    fs::create_symlink(library, room / name);
  return room;
}

} // namespace memviz::rehearse
