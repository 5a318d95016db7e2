#pragma once

// The hash of a step of a path.

#include "base/hash.hpp"
#include "memviz/keeper_step.hpp"

#include <cstdint>

namespace memviz {

/// Returns `hash` with `step` mixed in; start with hash_secret().
[[nodiscard]] inline std::uint64_t hash_with(std::uint64_t hash, const KeeperStep& step) {
  const auto part = static_cast<std::uint64_t>(step.part) << 32U | step.text.value;
  return mixed(mixed(hash, part), std::uint64_t{step.file.value} << 32U | step.line);
}

} // namespace memviz
