#pragma once

// Recording::keepers -> what autograd keeps for parameters that no optimizer updates: a model that is not frozen, such
// as a teacher or a backbone in eval() mode, or one that runs without torch.no_grad().

#include "analysis/calls/live_block.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <span>
#include <unordered_set>

namespace memviz {

struct Untrained {
  std::unordered_set<std::uint64_t> blocks; ///< addresses of blocks on the device, at the end
  std::uint64_t parameters = 0;             ///< how many have a gradient or get one, on all devices
  bool has_optimizer = false;               ///< whether an optimizer updates anything on a GPU
};

/// Returns the gradients of modules' parameters that are in no optimizer, and what only nodes of graphs save that lead
/// to such parameters alone. Nothing unless the keepers are whole and of this moment, and all that optimizers update is
/// parameters of modules: elsewhere an optimizer may update copies. Nothing of parameters that another object refers
/// to, and nothing if a backward pass has run before and one of them has no gradient: something written by hand may
/// update them.
[[nodiscard]] Untrained find_untrained(const MemoryState& state, DeviceId device, bool has_run_backward);

} // namespace memviz
