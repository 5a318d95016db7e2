#include "session/foreign_archive.hpp"

#include "base/snapshot_names.hpp"
#include "memviz/label.hpp"
#include "recording/file_kind.hpp"

#include <algorithm>
#include <string_view>

namespace memviz {

namespace {

bool ends_as_snapshot(std::string_view name) {
  return has_snapshot_ending(name) || without_compression(name).ends_with(".html");
}

/// Whether it is a file of the user's, not a folder or what an archiver added.
bool is_own_file(std::string_view name) {
  return !name.empty() && !name.ends_with('/') && !name.starts_with("__MACOSX/") &&
         !file_basename(name).starts_with('.');
}

bool any_name(const std::vector<std::string>& names, const auto& fits) {
  return std::ranges::any_of(names, [&](const std::string& name) { return fits(std::string_view(name)); });
}

/// Returns the index of the object that torch.save wrote, which is in one folder with its version; names.size() if the
/// archive is not of that kind.
std::size_t saved_object(const std::vector<std::string>& names) {
  constexpr std::string_view kObject = "/data.pkl";
  const auto object = std::ranges::find_if(names, [&](const std::string& name) {
    return name.ends_with(kObject) && name.find('/') == name.size() - kObject.size();
  });
  if (object == names.end()) return names.size();
  const std::string folder = object->substr(0, object->size() - kObject.size() + 1);
  const bool has_version = any_name(names, [&](std::string_view name) { return name == folder + "version"; });
  const auto is_of_program = [&](std::string_view name) {
    return name.starts_with(folder + "code/") || name == folder + "constants.pkl";
  };
  if (any_name(names, is_of_program)) throw_other_file("a TorchScript program, which records no memory");
  const auto is_tensor = [&](std::string_view name) {
    return name.starts_with(folder + "data/") && name.size() > folder.size() + 5;
  };
  if (any_name(names, is_tensor)) throw_checkpoint();
  return has_version ? static_cast<std::size_t>(object - names.begin()) : names.size();
}

void reject_other_archive(const std::vector<std::string>& names) {
  const auto is_program = [](std::string_view name) {
    return name.ends_with("serialized_exported_program.json") || name.ends_with("archive_format");
  };
  if (any_name(names, is_program))
    throw_other_file("a program that torch.export.save wrote", "memviz flops counts its operations and memory");
  const auto is_array = [](std::string_view name) { return name.ends_with(".npy"); };
  if (!names.empty() && std::ranges::all_of(names, is_array)) throw_other_file("arrays of NumPy (.npz)");
}

} // namespace

void throw_checkpoint() {
  throw_other_file("a checkpoint (tensors that torch.save wrote)");
}

std::vector<std::size_t> snapshot_entries(const std::vector<std::string>& names) {
  reject_other_archive(names);
  const std::size_t object = saved_object(names);
  if (object < names.size()) return {object};
  std::vector<std::size_t> files;
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_own_file(names[i])) continue;
    files.push_back(i);
    if (ends_as_snapshot(names[i])) named.push_back(i);
  }
  if (files.empty()) throw_other_file("an archive without a file");
  return named.empty() ? files : named;
}

} // namespace memviz
