#include "analysis/compare/renamed_script.hpp"

#include "memviz/label.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>

namespace memviz {

namespace {

using Functions = std::set<std::string_view>;
using Scripts = std::map<std::string_view, Functions>;

constexpr std::string_view kModule = "<module>";

/// Returns the functions of each file of the user's own code that has code outside of functions.
Scripts scripts_of(const FrameTable& frames) {
  std::map<StringId, std::set<StringId>> functions; // first by id, because many frames may share one long text
  for (std::uint32_t id = 0; id < frames.frame_count(); ++id)
    functions[frames.frame({id}).filename].insert(frames.frame({id}).name);
  Scripts scripts;
  for (const auto& [file, names] : functions) {
    if (origin_of(frames.text(file)) != CodeOrigin::user) continue;
    Functions texts;
    for (const StringId name : names)
      texts.insert(frames.text(name));
    if (texts.contains(kModule)) scripts.emplace(frames.text(file), std::move(texts));
  }
  return scripts;
}

/// Returns the only script that `others` lacks and `is_known` does not know; null for none, or several.
template <class IsKnown>
const Scripts::value_type* only_script(const Scripts& of, const Scripts& others, IsKnown is_known) {
  const Scripts::value_type* found = nullptr;
  for (const auto& script : of) {
    if (others.contains(script.first) || is_known(script.first)) continue;
    if (found != nullptr) return nullptr;
    found = &script;
  }
  return found;
}

bool is_half_in_both(std::string_view one, std::string_view other) {
  const std::size_t least = std::min(one.size(), other.size());
  const auto begin = static_cast<std::size_t>(
      std::distance(one.begin(), std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first));
  const auto end = static_cast<std::size_t>(
      std::distance(one.rbegin(), std::mismatch(one.rbegin(), one.rend(), other.rbegin(), other.rend()).first));
  return 2 * std::min(begin + end, least) >= std::max(one.size(), other.size());
}

std::string_view stem_of(std::string_view file) {
  const std::string_view name = file_basename(file);
  return name.substr(0, name.rfind('.'));
}

/// Whether half of the longer name, without what follows the last dot, is in both, at its beginning and its end.
bool are_names_alike(std::string_view one, std::string_view other) {
  return is_half_in_both(stem_of(one), stem_of(other));
}

} // namespace

std::optional<RenamedScript> renamed_script(const FrameTable& before, const FrameTable& after,
                                            const MovedFiles& moved) {
  const Scripts before_scripts = scripts_of(before);
  const Scripts after_scripts = scripts_of(after);
  std::set<std::string_view> moved_to;
  moved.for_each([&](std::string_view /*from*/, std::string_view to) { moved_to.insert(to); });
  const auto* const gone =
      only_script(before_scripts, after_scripts, [&](std::string_view file) { return moved.find(file) != nullptr; });
  const auto* const added =
      only_script(after_scripts, before_scripts, [&](std::string_view file) { return moved_to.contains(file); });
  if (gone == nullptr || added == nullptr || gone->second != added->second) return std::nullopt;
  if (!are_names_alike(gone->first, added->first)) return std::nullopt;
  return RenamedScript{gone->first, added->first};
}

} // namespace memviz
