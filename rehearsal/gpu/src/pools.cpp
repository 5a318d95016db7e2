#include "pools.hpp"

#include <cstring>

namespace memviz::rehearsal {
namespace {

constexpr std::uint64_t kAlignmentBytes = 512;

} // namespace

Pools::Pools(Memory& memory) : memory_(memory) {
  for (std::size_t device = 0; device < memory.devices().size(); ++device) {
    pools_.push_back(std::make_unique<Pool>());
    pools_.back()->device = static_cast<int>(device);
    defaults_.push_back(pools_.back().get());
  }
  current_ = defaults_;
}

Pool* Pools::find(Handle pool) const {
  for (const auto& known : pools_)
    if (known.get() == pool && !known->is_destroyed) return known.get();
  return nullptr;
}

Error Pools::set_current(int device, Handle pool) {
  Pool* const found = find(pool);
  if (!found || found->device != device) return Error::invalid_value;
  current_[static_cast<std::size_t>(device)] = found;
  return Error::success;
}

Error Pools::create(const PoolProperties& properties, Handle* out) {
  if (!out) return Error::invalid_value;
  if (properties.location.type != LocationType::device) return Error::not_supported;
  if (!memory_.is_device(properties.location.id)) return Error::invalid_device;
  pools_.push_back(std::make_unique<Pool>());
  pools_.back()->device = properties.location.id;
  *out = pools_.back().get();
  return Error::success;
}

Error Pools::destroy(Handle pool) {
  Pool* const found = find(pool);
  if (!found || found == default_pool(found->device)) return Error::invalid_value;
  auto& current = current_[static_cast<std::size_t>(found->device)];
  if (current == found) current = default_pool(found->device);
  found->is_destroyed = true;
  release_if_unused(*found);
  return Error::success;
}

// CUDA frees a destroyed pool when its last allocation is freed; until then only its allocations refer to it.
void Pools::release_if_unused(Pool& pool) {
  if (!pool.is_destroyed || pool.used_bytes > 0) return;
  shrink(pool, 0);
  std::erase_if(pools_, [&](const auto& known) { return known.get() == &pool; });
}

Error Pools::grow(Pool& pool, std::uint64_t reserved_bytes) {
  if (reserved_bytes <= pool.reserved_bytes) return Error::success;
  const Error error = memory_.charge(pool.device, reserved_bytes - pool.reserved_bytes);
  if (error != Error::success) return error;
  pool.reserved_bytes = reserved_bytes;
  pool.reserved_high_bytes = std::max(pool.reserved_high_bytes, reserved_bytes);
  return Error::success;
}

void Pools::shrink(Pool& pool, std::uint64_t keep_bytes) {
  const std::uint64_t reserved_bytes = round_up(std::max(keep_bytes, pool.used_bytes), kPoolStepBytes);
  if (reserved_bytes >= pool.reserved_bytes) return;
  memory_.release(pool.device, pool.reserved_bytes - reserved_bytes);
  pool.reserved_bytes = reserved_bytes;
}

Error Pools::allocate(Handle handle, std::uint64_t bytes, void** out) {
  Pool* const pool = find(handle);
  if (!pool || !out) return Error::invalid_value;
  *out = nullptr;
  if (bytes == 0) return Error::success;
  if (bytes > memory_.addresses().bytes()) return Error::out_of_memory;
  const std::uint64_t rounded_bytes = round_up(bytes, kAlignmentBytes);
  const Error error = grow(*pool, round_up(pool->used_bytes + rounded_bytes, kPoolStepBytes));
  if (error != Error::success) return error;
  const auto address = memory_.addresses().take(rounded_bytes, kAlignmentBytes);
  if (!address) return Error::out_of_memory;
  pool->used_bytes += rounded_bytes;
  pool->used_high_bytes = std::max(pool->used_high_bytes, pool->used_bytes);
  memory_.add_range(*address, {bytes, RangeKind::pooled, pool->device, 0});
  allocations_[*address] = pool;
  *out = reinterpret_cast<void*>(*address);
  return Error::success;
}

Error Pools::free(void* pointer) {
  const auto allocation = allocations_.find(reinterpret_cast<std::uint64_t>(pointer));
  if (allocation == allocations_.end()) return Error::invalid_value;
  const FoundRange range = *memory_.find(pointer);
  const std::uint64_t rounded_bytes = round_up(range.range.bytes, kAlignmentBytes);
  Pool& pool = *allocation->second;
  pool.used_bytes -= rounded_bytes;
  allocations_.erase(allocation);
  memory_.writes().forget(range.begin, range.range.bytes);
  memory_.remove_range(range.begin);
  memory_.addresses().give_back(range.begin, rounded_bytes);
  release_if_unused(pool);
  return Error::success;
}

Error Pools::trim(Handle pool, std::uint64_t keep_bytes) {
  Pool* const found = find(pool);
  if (!found) return Error::invalid_value;
  shrink(*found, keep_bytes);
  return Error::success;
}

void Pools::synchronized(int device) {
  for (const auto& pool : pools_)
    if (pool->device == device) shrink(*pool, pool->release_threshold_bytes);
}

Error Pools::get(Handle handle, PoolAttribute attribute, void* value) {
  const Pool* const pool = find(handle);
  if (!pool || !value) return Error::invalid_value;
  const auto give = [&](std::uint64_t bytes) {
    std::memcpy(value, &bytes, sizeof bytes);
    return Error::success;
  };
  switch (attribute) {
  case PoolAttribute::reuse_follow_event_dependencies:
  case PoolAttribute::reuse_allow_opportunistic:
  case PoolAttribute::reuse_allow_internal_dependencies:
    std::memcpy(value, &pool->reuse[static_cast<int>(attribute) - 1], sizeof(int));
    return Error::success;
  case PoolAttribute::release_threshold: return give(pool->release_threshold_bytes);
  case PoolAttribute::reserved_current: return give(pool->reserved_bytes);
  case PoolAttribute::reserved_high: return give(pool->reserved_high_bytes);
  case PoolAttribute::used_current: return give(pool->used_bytes);
  case PoolAttribute::used_high: return give(pool->used_high_bytes);
  }
  return Error::invalid_value;
}

Error Pools::set(Handle handle, PoolAttribute attribute, const void* value) {
  Pool* const pool = find(handle);
  if (!pool || !value) return Error::invalid_value;
  std::uint64_t bytes = 0;
  switch (attribute) {
  case PoolAttribute::reuse_follow_event_dependencies:
  case PoolAttribute::reuse_allow_opportunistic:
  case PoolAttribute::reuse_allow_internal_dependencies:
    std::memcpy(&pool->reuse[static_cast<int>(attribute) - 1], value, sizeof(int));
    return Error::success;
  case PoolAttribute::release_threshold:
    std::memcpy(&pool->release_threshold_bytes, value, sizeof bytes);
    return Error::success;
  // The high-water marks can only be set to zero, which restarts them at the current value.
  case PoolAttribute::reserved_high:
  case PoolAttribute::used_high:
    std::memcpy(&bytes, value, sizeof bytes);
    if (bytes != 0) return Error::invalid_value;
    if (attribute == PoolAttribute::reserved_high) pool->reserved_high_bytes = pool->reserved_bytes;
    if (attribute == PoolAttribute::used_high) pool->used_high_bytes = pool->used_bytes;
    return Error::success;
  default: return Error::invalid_value;
  }
}

} // namespace memviz::rehearsal
