#pragma once

// Frames of two snapshots -> one common table, in which equal frames have equal ids.

#include "analysis/compare/moved_files.hpp"
#include "memviz/compare.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace memviz {

/// The frames and texts of one snapshot, as ids of the common table.
class FrameMapping {
public:
  FrameMapping(std::vector<FrameId> ids, std::vector<StringId> texts)
      : ids_(std::move(ids)), texts_(std::move(texts)) {}

  /// Returns the key with its frame or text, if it has one, replaced by that of the common table.
  [[nodiscard]] NodeKey common(const NodeKey& key) const {
    if (const auto* frame = std::get_if<FrameId>(&key)) return ids_[frame->value];
    if (const auto* topic = std::get_if<TopicKey>(&key))
      return TopicKey{topic->topic, topic->content, texts_[topic->text.value]};
    if (const auto* step = std::get_if<KeeperStep>(&key))
      return KeeperStep{step->part, texts_[step->text.value], texts_[step->file.value], step->line};
    return key;
  }
  /// Returns the merged frames, by FrameId of the snapshot.
  [[nodiscard]] const std::vector<FrameId>& ids() const { return ids_; }

private:
  std::vector<FrameId> ids_;
  std::vector<StringId> texts_; ///< by StringId of the snapshot
};

/// The mappings of two snapshots into one table.
struct FrameMappings {
  FrameMapping before;
  FrameMapping after;
};

/// Adds the frames of both snapshots to `common`. Files of `before` that are keys of `moved` are treated as the files
/// that they map to. With FrameMatch::function, functions that have the same name in one file, as `forward` of several
/// classes has, remain apart if other functions lie between them and both snapshots have equally many. A function's
/// line is the one whose own calls hold most memory, in `after` if it holds any there; only of a function that holds
/// none itself, the line below which most is held.
[[nodiscard]] FrameMappings map_frames(const MemoryState& before, const MemoryState& after, const MovedFiles& moved,
                                       FrameMatch match, FrameTable& common);

} // namespace memviz
