#pragma once

// The blocks of a cause that is one large tensor, its copies and what is computed from it: logits with the loss, the
// scores of attention.

#include "analysis/calls/live_block.hpp"
#include "memviz/frames.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <utility>

namespace memviz {

class OneTensor {
public:
  /// `kind`: logits or attention_scores. `asks`: the lines of the request.
  OneTensor(CauseKind kind, const FrameTable& frames, std::span<const LiveBlock> blocks, const Request& request,
            const CallLines& asks);

  /// Whether an allocation with these lines and bytes belongs to it: by its function, or by its size. Attention takes
  /// only sizes that the function which calls softmax has asked for, because other layers can have blocks of the size
  /// of scores.
  [[nodiscard]] bool has(const CallLines& lines, std::uint64_t bytes) const;
  [[nodiscard]] bool is_marked(const CallLines& lines) const { return (lines.marks & mark_) != 0; }

private:
  using Function = std::pair<std::uint32_t, std::uint32_t>; ///< file and name

  void add(const CallLines& lines, std::uint64_t bytes);
  [[nodiscard]] Function function_of(const CallLines& lines) const;

  CauseKind kind_;
  const FrameTable& frames_;
  std::uint64_t mark_;
  std::uint64_t largest_bytes_ = 0; ///< of those with the mark
  std::set<Function> functions_;    ///< of the user's own code that made these
};

} // namespace memviz
