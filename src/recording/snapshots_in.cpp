#include "recording/snapshots_in.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

/// The most containers from the document to a snapshot: [{"rank": 0, "state": {"snapshot": ...}}].
constexpr int kDeepest = 3;
/// A hostile file could have millions; the largest jobs have some ten thousand ranks.
constexpr std::size_t kMostSnapshots = 65536;

bool is_sequence(Value value) {
  return value.kind() == Kind::list || value.kind() == Kind::tuple;
}

Value first_of(const Document& document, Value list) {
  Value first;
  document.for_each(list, [&](Value item) {
    first = item;
    return false;
  });
  return first;
}

bool has_list(const Document& document, Value dict, std::string_view key) {
  return document.get(dict, key).kind() == Kind::list;
}

/// Whether a dict has events and no other keys that could be misspelt or damaged segments.
bool is_events_dict(const Document& document, Value dict) {
  constexpr std::array<std::string_view, 5> kBesideEvents{"device_traces", "segments", "host_traces",
                                                          "allocator_settings", "external_annotations"};
  if (is_present(document.get(dict, "segments")) || !is_trace_list(document, document.get(dict, "device_traces")))
    return false;
  bool are_known = true;
  document.for_each_item(dict, [&](Value key, Value) {
    const std::string_view text = key.kind() == Kind::text ? document.text(key) : std::string_view();
    are_known &= text.starts_with("memviz_") || std::ranges::find(kBesideEvents, text) != kBesideEvents.end();
  });
  return are_known;
}

/// Whether a dict is a snapshot, or the events of one.
bool is_snapshot(const Document& document, Value dict) {
  return has_list(document, dict, "segments") || is_events_dict(document, dict);
}

/// Whether a list is a snapshot of PyTorch 1.x: its items are segments.
bool is_segment_list(const Document& document, Value list) {
  const Value first = first_of(document, list);
  return first.kind() == Kind::dict && document.get(first, "total_size").kind() != Kind::unset;
}

std::string subscript(const Document& document, Value key) {
  if (key.kind() == Kind::text)
    return fmt::format("['{}']", elided(to_valid_utf8(document.text(key).substr(0, 256)), 60));
  if (const auto number = document.as_signed(key)) return fmt::format("[{}]", *number);
  return "[...]";
}

class Search {
public:
  explicit Search(const Document& document)
      : document_(document), seen_dicts_(document.dict_count()), seen_lists_(document.list_count()) {}

  std::vector<FoundSnapshot> all() && {
    look_into({"", document_.root}, 0);
    return std::move(found_);
  }

private:
  /// Whether the container was looked into before; notes that it is now.
  bool is_seen(Value container) {
    std::vector<bool>& seen = container.kind() == Kind::dict ? seen_dicts_ : seen_lists_;
    if (seen[container.index()]) return true;
    seen[container.index()] = true;
    return false;
  }

  void look_at(FoundSnapshot one, int depth) {
    if (found_.size() == kMostSnapshots) return;
    if (one.value.kind() == Kind::dict && is_snapshot(document_, one.value))
      found_.push_back(std::move(one));
    else if (depth < kDeepest)
      look_into(one, depth);
  }

  void look_into(const FoundSnapshot& one, int depth) {
    const Value container = one.value;
    if (!is_sequence(container) && container.kind() != Kind::dict) return;
    if (is_seen(container)) return;
    if (container.kind() == Kind::dict) {
      document_.for_each_item(container, [&](Value key, Value value) {
        look_at({one.name + subscript(document_, key), value}, depth + 1);
      });
      return;
    }
    std::size_t index = 0;
    document_.for_each(container, [&](Value item) {
      if (item.kind() == Kind::dict || is_sequence(item))
        look_at({fmt::format("{}[{}]", one.name, index), item}, depth + 1);
      ++index;
      return found_.size() < kMostSnapshots;
    });
  }

  const Document& document_;
  std::vector<FoundSnapshot> found_;
  std::vector<bool> seen_dicts_;
  std::vector<bool> seen_lists_;
};

/// Whether the document is read as it is: a snapshot, or what no other reading makes sense of.
bool is_plain(const Document& document) {
  const Value root = document.root;
  if (root.kind() == Kind::dict) return is_snapshot(document, root);
  if (root.kind() == Kind::list)
    return is_segment_list(document, root) || is_trace_list(document, root) || document.list_size(root) == 0;
  return root.kind() != Kind::tuple;
}

} // namespace

bool is_trace_list(const Document& document, Value value) {
  if (value.kind() != Kind::list) return false;
  bool has_event = false;
  bool is_one = true;
  document.for_each(value, [&](Value trace) {
    is_one = trace.kind() == Kind::list;
    if (!is_one) return false;
    const Value first = first_of(document, trace);
    if (first.kind() == Kind::unset) return true; // a device without events
    has_event = first.kind() == Kind::dict && document.get(first, "action").kind() != Kind::unset;
    is_one = has_event;
    return false;
  });
  return is_one && has_event;
}

bool has_only_events(const Document& document) {
  const Value root = document.root;
  return root.kind() == Kind::dict ? is_events_dict(document, root) : is_trace_list(document, root);
}

std::vector<FoundSnapshot> snapshots_in(const Document& document) {
  if (!is_plain(document)) {
    std::vector<FoundSnapshot> found = Search(document).all();
    if (!found.empty()) return found;
  }
  return {{"", document.root}};
}

} // namespace memviz
