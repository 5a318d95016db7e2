#pragma once

// Roots and references -> the steps of paths.

#include "memviz/frames.hpp"
#include "memviz/keeper_answers.hpp"

#include <optional>

namespace memviz {

/// Returns the first step of a path from a root.
[[nodiscard]] KeeperStep step_of(const RootObject& root, const KeeperObject& object);

/// The position of a reference in a path.
struct ReferencePlace {
  const KeeperReference& reference;
  const KeeperObject& from;
  const KeeperObject& to;
  bool is_one_of_many = false; ///< whether a dict has so many keys that they are items
};

/// Returns the step that a reference makes; nothing if it is not worth a step: within autograd's graph, or from the
/// cell of a closure to its value.
[[nodiscard]] std::optional<KeeperStep> step_of(const ReferencePlace& place, const FrameTable& texts);

} // namespace memviz
