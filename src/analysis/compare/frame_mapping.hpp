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

/// The frames and texts of one snapshot as ids of the common table.
class FrameMapping {
public:
  FrameMapping(std::vector<FrameId> ids, std::vector<StringId> texts)
      : ids_(std::move(ids)), texts_(std::move(texts)) {}

  /// The key with its frame or text, if it has one, in the common table.
  [[nodiscard]] NodeKey common(const NodeKey& key) const {
    if (const auto* frame = std::get_if<FrameId>(&key)) return ids_[frame->value];
    if (const auto* topic = std::get_if<TopicKey>(&key))
      return TopicKey{topic->topic, topic->content, texts_[topic->text.value]};
    return key;
  }
  /// The merged frames, by FrameId of the snapshot.
  [[nodiscard]] const std::vector<FrameId>& ids() const { return ids_; }

private:
  std::vector<FrameId> ids_;
  std::vector<StringId> texts_; ///< by StringId of the snapshot
};

class FrameMapper {
public:
  /// Adds to `common`, which must outlive this object.
  FrameMapper(FrameMatch match, FrameTable& common) : match_(match), common_(common) {}

  /// Files of the snapshot that are keys of `moved` are taken for what these lead to. With FrameMatch::function the
  /// snapshot that is mapped first, of those that have a function, gives its line: the one through which most memory
  /// was asked for.
  [[nodiscard]] FrameMapping map(const MemoryState& state, const MovedFiles& moved = {});

private:
  using Function = std::pair<StringId, StringId>; ///< name and file

  /// Adds a frame of the common table, and the source text of its line where that is known.
  [[nodiscard]] FrameId added(const Frame& frame, std::string_view source);
  /// `frames` are those of `given`, translated.
  [[nodiscard]] std::vector<FrameId> ids_by_function(const FrameTable& given, const std::vector<Frame>& frames,
                                                     const std::vector<std::uint64_t>& bytes);

  FrameMatch match_;
  FrameTable& common_;
  std::map<Function, FrameId> functions_;
};

} // namespace memviz
