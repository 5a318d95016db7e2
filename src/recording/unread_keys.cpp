#include "recording/unread_keys.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "recording/value_text.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {
namespace {

/// Genuine files have a handful.
constexpr std::size_t kMostNamed = 16;
/// The maximum number of items of a list or dict that are examined; it may have millions.
constexpr std::size_t kMostItems = 16;

/// Frames are lists of dicts as well; for those of an event the fast reader keeps only a number.
bool is_list_of_frames(Value value, const FrameTable& frames) {
  const bool is_text = (value.payload() & 1U) != 0;
  return !is_text && !frames.stack({static_cast<std::uint32_t>(value.payload() >> 1U)}).empty();
}

/// Segments, blocks and events are dicts in a list, or in a list or dict for each device. Anything smaller is a
/// setting, or a mark of the file's author.
bool may_hold_memory(const Document& document, Value value, const FrameTable& frames, int depth = 0) {
  if (value.kind() == Kind::digest) return is_list_of_frames(value, frames);
  bool found = false;
  std::size_t looked_at = 0;
  const auto look_at = [&](Value item) {
    found = item.kind() == Kind::dict || (depth == 0 && may_hold_memory(document, item, frames, 1));
    return !found && ++looked_at < kMostItems;
  };
  if (value.kind() == Kind::list || value.kind() == Kind::tuple) document.for_each(value, look_at);
  if (value.kind() == Kind::dict)
    document.for_each_item(value, [&](Value, Value item) {
      if (!found && looked_at < kMostItems) look_at(item);
    });
  return found;
}

bool is_read(const Document& document, Value key) {
  return key.kind() == Kind::text && std::ranges::find(kRootKeys.read, document.text(key)) != kRootKeys.read.end();
}

} // namespace

std::string UnreadKeys::name_of(Value key) const {
  constexpr std::size_t kMostBytes = 256;
  constexpr std::size_t kMostColumns = 60;
  return elided(to_valid_utf8(value_text(document_, key).substr(0, kMostBytes)), kMostColumns);
}

void UnreadKeys::add_keys_of_root(Budget& budget) {
  if (document_.root.kind() != Kind::dict) return;
  const Field whole{document_.root};
  document_.for_each_item(document_.root, [&](Value key, Value value) {
    budget.spend_keys(1, whole);
    if (is_read(document_, key)) return;
    if (recording_.unread_keys.size() == kMostNamed) {
      ++recording_.more_unread_keys;
      return;
    }
    recording_.unread_keys.push_back(
        {texts_.text(TextKind::setting_key, name_of(key)), may_hold_memory(document_, value, recording_.frames)});
  });
}

void UnreadKeys::keep_first(std::set<std::string>& names, std::string name) {
  names.insert(std::move(name));
  if (names.size() > kMostNamed) names.erase(std::prev(names.end()));
}

void UnreadKeys::add_sorted(std::string_view place, const std::set<std::string>& names, std::size_t count) {
  std::size_t named = 0;
  for (const std::string& name : names) {
    if (recording_.unread_keys.size() == kMostNamed) break;
    recording_.unread_keys.push_back({texts_.text(TextKind::setting_key, fmt::format("{}.{}", place, name)), false});
    ++named;
  }
  recording_.more_unread_keys += count - named;
}

void UnreadKeys::warn() const {
  std::vector<std::string_view> names;
  for (const UnreadKey& key : recording_.unread_keys)
    if (key.may_hold_memory) names.push_back(recording_.frames.text(key.name));
  if (names.empty()) return;
  recording_.warnings.push_back(fmt::format("memviz does not read '{}', which may contain memory that no figure here "
                                            "includes (is the file from a newer PyTorch?)",
                                            fmt::join(names, "', '")));
}

} // namespace memviz
