#pragma once

// The hash of a node's key.

#include "analysis/keepers/step_hash.hpp"
#include "base/hash.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <variant>

namespace memviz {

/// Returns a hash with the contents of a key mixed in.
struct KeyHash {
  std::uint64_t hash;

  std::uint64_t operator()(const RootKey& /*root*/) const { return hash; }
  std::uint64_t operator()(const DeviceKey& key) const {
    return mixed(mixed(hash, key.device.value), static_cast<std::uint64_t>(key.device_kind));
  }
  std::uint64_t operator()(const PoolId& pool) const { return mixed(mixed(hash, pool.first), pool.second); }
  std::uint64_t operator()(const StreamKey& key) const { return mixed(hash, static_cast<std::uint64_t>(key.stream)); }
  std::uint64_t operator()(const SegmentKey& key) const { return mixed(mixed(hash, key.address), key.device.value); }
  std::uint64_t operator()(BlockState state) const { return mixed(hash, static_cast<std::uint64_t>(state)); }
  std::uint64_t operator()(FrameId frame) const { return mixed(hash, frame.value); }
  std::uint64_t operator()(Pseudo pseudo) const { return mixed(hash, static_cast<std::uint64_t>(pseudo)); }
  std::uint64_t operator()(MemoryKind kind) const { return mixed(hash, static_cast<std::uint64_t>(kind)); }
  std::uint64_t operator()(const KeeperStep& step) const { return hash_with(hash, step); }
  std::uint64_t operator()(const TopicKey& key) const {
    const auto kind = static_cast<std::uint64_t>(key.topic) << 8U | static_cast<std::uint64_t>(key.content);
    return mixed(mixed(hash, kind), key.text.value);
  }
};

/// Returns `hash` with `key` mixed in; start with hash_secret().
[[nodiscard]] inline std::uint64_t hash_with(std::uint64_t hash, const NodeKey& key) {
  return std::visit(KeyHash{mixed(hash, key.index())}, key);
}

} // namespace memviz
