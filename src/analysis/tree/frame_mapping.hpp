#pragma once

// Frames of two snapshots -> one common table, in which equal frames have equal ids.

#include "analysis/tree/moved_files.hpp"
#include "memviz/compare.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace memviz {

/// The frames of one snapshot as ids of the common table.
class FrameMapping {
public:
  explicit FrameMapping(std::vector<FrameId> ids) : ids_(std::move(ids)) {}

  /// The key with its frame, if it has one, in the common table.
  [[nodiscard]] NodeKey common(const NodeKey& key) const {
    if (key.kind != NodeKind::frame) return key;
    return NodeKey::of(ids_[key.frame().value]);
  }

private:
  std::vector<FrameId> ids_;
};

class FrameMapper {
public:
  /// Adds to `common`, which must outlive this object.
  FrameMapper(FrameMatch match, FrameTable& common) : match_(match), common_(common) {}

  /// With FrameMatch::function the snapshot that is mapped first gives the line numbers that are shown.
  /// Files of `frames` that are keys of `moved` are taken for what these lead to.
  [[nodiscard]] FrameMapping map(const FrameTable& frames, const MovedFiles& moved = {});

private:
  FrameMatch match_;
  FrameTable& common_;
  std::map<std::tuple<StringId, StringId>, FrameId> functions_;
};

} // namespace memviz
