#pragma once

// Frames of two snapshots -> one common table, in which equal frames have equal ids.

#include "analysis/compare/moved_files.hpp"
#include "memviz/compare.hpp"

#include <cstdint>
#include <map>
#include <string_view>
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
    return key;
  }
  /// Returns the merged frames, by FrameId of the snapshot.
  [[nodiscard]] const std::vector<FrameId>& ids() const { return ids_; }

private:
  std::vector<FrameId> ids_;
  std::vector<StringId> texts_; ///< by StringId of the snapshot
};

class FrameMapper {
public:
  /// Adds to `common`, which must outlive this object.
  FrameMapper(FrameMatch match, FrameTable& common) : match_(match), common_(common) {}

  /// Treats files that are keys of `moved` as the files they map to. With FrameMatch::function, a function's line is
  /// the one that requested most memory in the first mapped snapshot that has the function.
  [[nodiscard]] FrameMapping map(const MemoryState& state, const MovedFiles& moved = {});

private:
  using Function = std::pair<StringId, StringId>; ///< name and file

  /// Adds a frame of the common table, and the source text of its line if known.
  [[nodiscard]] FrameId added(const Frame& frame, std::string_view source);
  /// `frames` are the translated frames of `given`.
  [[nodiscard]] std::vector<FrameId> ids_by_function(const FrameTable& given, const std::vector<Frame>& frames,
                                                     const std::vector<std::uint64_t>& bytes);

  FrameMatch match_;
  FrameTable& common_;
  std::map<Function, FrameId> functions_;
};

} // namespace memviz
