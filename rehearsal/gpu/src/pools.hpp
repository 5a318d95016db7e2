// Memory pools: cudaMallocAsync and the cudaMemPool* functions. A pool reserves from its device in steps of 32 MiB and
// releases memory above its release threshold at a synchronization, as CUDA documents. Its fragmentation is not
// modelled: reserved is what is used, rounded up, or what the threshold keeps.
#pragma once

#include "memory.hpp"

#include <memory>

namespace memviz::rehearsal {

inline constexpr std::uint64_t kPoolStepBytes = 32ULL << 20;

enum class PoolAttribute : int { // cudaMemPoolAttr
  reuse_follow_event_dependencies = 1,
  reuse_allow_opportunistic = 2,
  reuse_allow_internal_dependencies = 3,
  release_threshold = 4,
  reserved_current = 5,
  reserved_high = 6,
  used_current = 7,
  used_high = 8,
};

struct Pool {
  int device = 0;
  std::uint64_t release_threshold_bytes = 0;
  std::uint64_t reserved_bytes = 0, reserved_high_bytes = 0;
  std::uint64_t used_bytes = 0, used_high_bytes = 0;
  int reuse[3] = {1, 1, 1};
  bool is_destroyed = false; // destroyed by the program, with allocations that are not freed yet
};

class Pools {
public:
  explicit Pools(Memory& memory);

  Pool* default_pool(int device) { return defaults_[static_cast<std::size_t>(device)]; }
  Pool* current_pool(int device) { return current_[static_cast<std::size_t>(device)]; }
  Error set_current(int device, Handle pool);
  Error create(const PoolProperties& properties, Handle* out);
  Error destroy(Handle pool);

  Error allocate(Handle pool, std::uint64_t bytes, void** out);
  Error free(void* pointer); // invalid_value for memory that no pool has allocated
  Error trim(Handle pool, std::uint64_t keep_bytes);
  void synchronized(int device); // releases memory above each pool's threshold

  Error get(Handle pool, PoolAttribute attribute, void* value);
  Error set(Handle pool, PoolAttribute attribute, const void* value);
  [[nodiscard]] Pool* find(Handle pool) const; // null if it is not a pool, or destroyed

private:
  Error grow(Pool& pool, std::uint64_t reserved_bytes);
  void shrink(Pool& pool, std::uint64_t keep_bytes);
  void release_if_unused(Pool& pool); // a destroyed one

  Memory& memory_;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::vector<Pool*> defaults_, current_;
  std::map<std::uint64_t, Pool*> allocations_; // by address
};

} // namespace memviz::rehearsal
