#pragma once

// The order of siblings of equal width: by their text, never by ids, which depend on the order in a file.

#include "memviz/frames.hpp"
#include "memviz/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memviz {

/// Compares texts at first; after as many comparisons as there are frames and texts it sorts them all, because many
/// frames may share a long text. So an order for each of thousands of devices costs little.
class FrameOrder {
public:
  /// `frames` must outlive this object.
  explicit FrameOrder(const FrameTable& frames) : frames_(&frames) {}

  [[nodiscard]] bool is_before(const NodeKey& left, const NodeKey& right) const;

private:
  [[nodiscard]] bool is_frame_before(FrameId left, FrameId right) const;
  [[nodiscard]] bool is_text_before(StringId left, StringId right) const;
  [[nodiscard]] bool is_step_before(const KeeperStep& left, const KeeperStep& right) const;
  [[nodiscard]] bool is_topic_before(const TopicKey& left, const TopicKey& right) const;
  /// Counts a comparison of this much text; returns whether all are sorted by now.
  [[nodiscard]] bool is_ranked_after(std::size_t cost) const;
  [[nodiscard]] std::size_t cost_of(StringId text) const;
  void rank_all() const;

  const FrameTable* frames_;
  mutable std::size_t compared_ = 0;
  mutable std::vector<std::uint32_t> rank_;      ///< by FrameId, after sorting
  mutable std::vector<std::uint32_t> text_rank_; ///< by StringId, after sorting
};

} // namespace memviz
