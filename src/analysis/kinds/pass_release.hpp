#pragma once

// The memory that a forward pass frees between two allocations -> whether it is a graph of autograd that is released
// without a backward pass, as in an evaluation without torch.no_grad(): activations.

#include "memviz/event_index.hpp"
#include "memviz/frames.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memviz {

/// Allocations that modules made, and those among them that are autocast's copies of weights.
struct CalledCount {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t cast_blocks = 0;
  std::uint64_t cast_bytes = 0;

  void add(std::uint64_t size_bytes, bool is_cast);
  void remove(std::uint64_t size_bytes, bool is_cast);
};

/// The allocations that modules made in a forward pass.
struct CalledBytes {
  EventIndex first; ///< the forward pass's
  CalledCount made = {};
  CalledCount live = {};
  std::array<EventIndex, 16> latest = {};

  void add(EventIndex event, std::uint64_t size_bytes, bool is_cast);
  void remove(std::uint64_t size_bytes, bool is_cast) { live.remove(size_bytes, is_cast); }
  /// Returns the first of the last of them, which may be temporaries still in use.
  [[nodiscard]] EventIndex first_of_latest() const {
    return latest[static_cast<std::size_t>(made.blocks % latest.size())];
  }
  /// Must not be called on none.
  [[nodiscard]] EventIndex last() const { return latest[static_cast<std::size_t>((made.blocks - 1) % latest.size())]; }
  /// Whether much of it still exists, as is the case only if a backward pass follows. Otherwise a forward pass keeps
  /// only the output of its last module, skip connections and caches of keys and values: in transformers and U-Nets
  /// less than a fifth.
  [[nodiscard]] bool keeps_for_backward() const;
};

/// An allocation by a module that its forward pass frees.
struct FreedInPass {
  StackId stack;
  std::uint64_t size_bytes = 0;
  bool is_cast = false; ///< by autocast
};

/// A graph of autograd that was released without a backward pass.
struct PassRelease {
  EventIndex first;           ///< the forward pass's
  EventIndex first_of_latest; ///< allocations from here on may be temporaries
  EventIndex event;           ///< the last allocation before the release
  EventIndex until;           ///< the next allocation
};

/// Whether `freed`, which is freed without an allocation in between, is the graph of the pass that made `called`. It is
/// if much of the pass is freed in this way, by many lines, and many times by each: every layer's memory was kept.
///
/// Without autograd such memory is freed layer by layer. A list of outputs, features or hidden states has one block per
/// layer or per call, by one line; the variables of one function are freed together, but each line has made one.
/// Autocast keeps its copies of the weights until its context ends, with and without autograd, so they prove nothing.
[[nodiscard]] bool is_released_graph(const CalledBytes& called, const std::vector<FreedInPass>& freed);

/// The passes whose graphs were released, in the order of events.
class PassReleases {
public:
  void add(const PassRelease& release);
  /// Returns the release that freed what event `freed` frees, or null.
  [[nodiscard]] const PassRelease* at(EventIndex freed) const;
  /// Whether a pass that includes both events ended in a release.
  [[nodiscard]] bool is_within_pass(EventIndex made, EventIndex freed) const;

private:
  std::vector<PassRelease> releases_;
};

} // namespace memviz
