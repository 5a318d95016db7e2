#include "memviz/label.hpp"

#include "base/path_ends.hpp"

#include <map>
#include <variant>

namespace memviz {
namespace {

/// The maximum number of folders: files that differ only further up stay alike.
constexpr std::size_t kMostNames = 6;

/// Frames that look alike, by their index in the list.
using Alike = std::map<std::string, std::vector<std::size_t>>;

Alike alike_frames(const FrameTable& frames, const std::vector<NodeKey>& keys) {
  Alike alike;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (is_frame(keys[i])) alike[node_label(frames, keys[i])].push_back(i);
  return alike;
}

} // namespace

std::vector<std::string> places_apart(const FrameTable& frames, const std::vector<NodeKey>& keys) {
  std::vector<std::string> places(keys.size());
  for (const auto& [label, group] : alike_frames(frames, keys)) {
    if (group.size() == 1) { // its path may be long, and be in every frame
      places[group.front()] = frame_place(frames, std::get<FrameId>(keys[group.front()]));
      continue;
    }
    std::vector<std::string_view> paths;
    for (const std::size_t i : group)
      paths.push_back(frames.filename(std::get<FrameId>(keys[i])));
    const std::vector<std::string> endings = told_apart(paths, kMostNames);
    for (std::size_t k = 0; k < group.size(); ++k) {
      const FrameId frame = std::get<FrameId>(keys[group[k]]);
      const std::string_view name = known_basename(paths[k]);
      const std::string base = frame_place(frames, frame);
      // The folders precede the place.
      const bool has_folders = !name.empty() && endings[k].size() > name.size() && endings[k].ends_with(name);
      places[group[k]] = has_folders ? endings[k].substr(0, endings[k].size() - name.size()) + base : base;
    }
  }
  return places;
}

std::vector<std::string> node_labels(const FrameTable& frames, const std::vector<NodeKey>& keys) {
  const std::vector<std::string> places = places_apart(frames, keys);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (places[i].empty())
      labels.push_back(node_label(frames, keys[i]));
    else
      labels.push_back(short_function(frames.name(std::get<FrameId>(keys[i]))) + " " + places[i]);
  }
  return labels;
}

} // namespace memviz
