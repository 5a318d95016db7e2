#include "base/snapshot_names.hpp"

#include <array>

namespace memviz {

std::string_view without_compression(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst", ".xz", ".bz2"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

std::string_view without_packing(std::string_view name) {
  const std::string_view plain = without_compression(name);
  for (const std::string_view ending : {".zip", ".tar", ".tgz"})
    if (plain.ends_with(ending)) return plain.substr(0, plain.size() - ending.size());
  return plain;
}

bool has_archive_ending(std::string_view name) {
  return without_packing(name).size() < without_compression(name).size();
}

std::string_view snapshot_stem(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings{".pickle", ".pkl", ".pt", ".json", ".ndjson"};
  const std::string_view plain = without_packing(name);
  for (const std::string_view ending : kEndings)
    if (plain.ends_with(ending)) return plain.substr(0, plain.size() - ending.size());
  return plain;
}

bool has_snapshot_ending(std::string_view name) {
  return snapshot_stem(name).size() < without_compression(name).size();
}

} // namespace memviz
