#include "snapshot/unread_keys.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "memviz/format.hpp"
#include "snapshot/value_text.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {
namespace {

constexpr std::array<std::string_view, 8> kReadKeys{"segments",        "device_traces",      "host_segments",
                                                    "host_traces",     "allocator_settings", "external_annotations",
                                                    "memviz_recorder", "memviz_rehearsal"};
/// Genuine files have a handful.
constexpr std::size_t kMostNamed = 16;
/// What is looked at of a list or dict, which may have millions of items.
constexpr std::size_t kMostItems = 16;

/// Frames are lists of dicts, too; of those that an event has the fast reader keeps only a number.
bool is_list_of_frames(Value value, const FrameTable& frames) {
  const bool is_text = (value.payload() & 1U) != 0;
  return !is_text && !frames.stack({static_cast<std::uint32_t>(value.payload() >> 1U)}).empty();
}

/// Segments, blocks and events are dicts in a list, or in a list or dict for each device. What is smaller than that is
/// a setting, or a mark of whoever wrote the file.
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
  return key.kind() == Kind::text &&
         std::find(kReadKeys.begin(), kReadKeys.end(), document.text(key)) != kReadKeys.end();
}

std::string name_of(const Document& document, Value key) {
  constexpr std::size_t kMostBytes = 256;
  constexpr std::size_t kMostColumns = 60;
  return elided(to_valid_utf8(value_text(document, key).substr(0, kMostBytes)), kMostColumns);
}

void warn(Recording& recording) {
  std::vector<std::string_view> names;
  for (const UnreadKey& key : recording.unread_keys)
    if (key.may_hold_memory) names.push_back(recording.frames.text(key.name));
  if (names.empty()) return;
  recording.warnings.push_back(
      fmt::format("memviz does not read '{}', which may hold memory that no figure here has (is the file of a newer "
                  "PyTorch?)",
                  fmt::join(names, "', '")));
}

} // namespace

void name_unread_keys(const Document& document, FrameReader& texts, Budget& budget, Recording& recording) {
  if (document.root.kind() != Kind::dict) return;
  const Field whole{document.root};
  document.for_each_item(document.root, [&](Value key, Value value) {
    budget.spend_keys(1, whole);
    if (is_read(document, key)) return;
    if (recording.unread_keys.size() == kMostNamed) {
      ++recording.more_unread_keys;
      return;
    }
    recording.unread_keys.push_back({texts.text(TextKind::setting_key, name_of(document, key)),
                                     may_hold_memory(document, value, recording.frames)});
  });
  warn(recording);
}

} // namespace memviz
