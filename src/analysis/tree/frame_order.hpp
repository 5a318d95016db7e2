#pragma once

// The order of siblings of equal width: by what they say, never by ids, which depend on the order of a file.

#include "memviz/frames.hpp"
#include "memviz/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memviz {

/// Asked a few times it compares texts; from as many questions on as there are frames and texts it has sorted them
/// all, because frames that share a long text are many. So one for each device of thousands costs little.
class FrameOrder {
public:
  /// `frames` must outlive it.
  explicit FrameOrder(const FrameTable& frames) : frames_(&frames) {}

  [[nodiscard]] bool is_before(const NodeKey& left, const NodeKey& right) const;

private:
  [[nodiscard]] bool is_frame_before(FrameId left, FrameId right) const;
  [[nodiscard]] bool is_topic_before(const TopicKey& left, const TopicKey& right) const;
  /// Counts a comparison of so much text; whether all are sorted by now.
  [[nodiscard]] bool is_ranked_after(std::size_t cost) const;
  [[nodiscard]] std::size_t cost_of(StringId text) const;
  void rank_all() const;

  const FrameTable* frames_;
  mutable std::size_t compared_ = 0;
  mutable std::vector<std::uint32_t> rank_;      ///< by FrameId, once they are sorted
  mutable std::vector<std::uint32_t> text_rank_; ///< by StringId, once they are sorted
};

} // namespace memviz
