#pragma once

// Frames of two snapshots -> one common table, in which equal frames have equal ids.

#include "analysis/tree/moved_files.hpp"
#include "memviz/compare.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

namespace memviz {

/// The frames of one snapshot as ids of the common table.
class FrameMapping {
public:
  explicit FrameMapping(std::vector<FrameId> ids) : ids_(std::move(ids)) {}

  /// The key with its frame, if it has one, in the common table.
  [[nodiscard]] NodeKey common(const NodeKey& key) const {
    const auto* frame = std::get_if<FrameId>(&key);
    return frame == nullptr ? key : ids_[frame->value];
  }
  /// By FrameId of the snapshot.
  [[nodiscard]] const std::vector<FrameId>& ids() const { return ids_; }

private:
  std::vector<FrameId> ids_;
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

  [[nodiscard]] std::vector<FrameId> ids_by_function(const std::vector<Frame>& frames,
                                                     const std::vector<std::uint64_t>& bytes);

  FrameMatch match_;
  FrameTable& common_;
  std::map<Function, FrameId> functions_;
};

} // namespace memviz
