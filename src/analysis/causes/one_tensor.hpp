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

/// Whether a size is that of the same tensor, in the same precision or with half or twice the bytes for each value.
[[nodiscard]] bool is_same_or_other_precision(std::uint64_t bytes, std::uint64_t other_bytes);

class OneTensor {
public:
  /// `kind`: logits or attention_scores. `asks`: the lines of the request.
  OneTensor(CauseKind kind, const FrameTable& frames, std::span<const LiveBlock> blocks, const Request& request,
            const CallLines& asks);

  /// Whether an allocation with these lines and bytes belongs to it: by its function, or by its size. Attention takes
  /// only sizes that the function which calls softmax has asked for, because other layers can have blocks of the size
  /// of scores.
  [[nodiscard]] bool has(const CallLines& lines, std::uint64_t bytes) const;
  /// Whether one of the functions of its kind allocates. Softmax is attention's only within modules: outside, it is of
  /// logits, as in sampling and in losses, unless no module calls it, and several are alive. Its backward pass counts
  /// as well.
  [[nodiscard]] bool is_marked(const CallLines& lines) const;
  /// Whether nn.MultiheadAttention makes the largest.
  [[nodiscard]] bool is_own_attention() const { return is_own_attention_; }

private:
  using Function = std::pair<std::uint32_t, std::uint32_t>; ///< file and name

  [[nodiscard]] bool has_layers(std::span<const LiveBlock> blocks) const;
  void add_marked(std::span<const LiveBlock> blocks, const Request& request, const CallLines& asks);
  void add(const CallLines& lines, std::uint64_t bytes);
  [[nodiscard]] Function function_of(const CallLines& lines) const;

  CauseKind kind_;
  const FrameTable& frames_;
  std::uint64_t mark_;
  std::uint64_t largest_bytes_ = 0; ///< of those with the mark
  bool is_own_attention_ = false;
  bool is_outside_modules_ = false; ///< for attention_scores: no module calls softmax
  bool has_forward_ = false;        ///< for attention_scores: those of backward passes count
  bool is_of_logits_ = false;       ///< for attention_scores: a loss makes blocks of that size, or too few are alive
  std::set<Function> functions_;    ///< of the user's own code that made these
};

} // namespace memviz
