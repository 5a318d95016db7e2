#pragma once

// The order of siblings of equal width: by what they say, never by ids, which depend on the order of a file.

#include "memviz/frames.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

class FrameOrder {
public:
  explicit FrameOrder(const FrameTable& frames);

  [[nodiscard]] bool is_before(const NodeKey& left, const NodeKey& right) const;

private:
  std::vector<std::uint32_t> rank_; ///< by FrameId
};

} // namespace memviz
