#include "support.hpp"

using namespace memviz::rehearsal;

namespace {

std::uint64_t read(Pools& pools, Pool* pool, PoolAttribute attribute) {
  std::uint64_t bytes = 0;
  REQUIRE(pools.get(pool, attribute, &bytes) == Error::success);
  return bytes;
}

Handle made_pool(Pools& pools) {
  PoolProperties properties{};
  properties.allocation_type = 1;
  properties.location = {LocationType::device, 0};
  Handle pool = nullptr;
  REQUIRE(pools.create(properties, &pool) == Error::success);
  return pool;
}

} // namespace

TEST_CASE("a pool reserves in steps and gives back at a synchronization") {
  Memory memory(small_machine());
  Pools pools(memory);
  Pool* const pool = pools.default_pool(0);
  void* pointer = nullptr;
  REQUIRE(pools.allocate(pool, 40 * kMiB, &pointer) == Error::success);
  CHECK(read(pools, pool, PoolAttribute::used_current) == 40 * kMiB);
  CHECK(read(pools, pool, PoolAttribute::reserved_current) == 64 * kMiB);
  CHECK(memory.devices()[0].used_bytes == 64 * kMiB);
  CHECK(memory.find(pointer)->range.kind == RangeKind::pooled);
  REQUIRE(pools.free(pointer) == Error::success);
  CHECK(pools.free(pointer) == Error::invalid_value);
  CHECK(read(pools, pool, PoolAttribute::used_current) == 0);
  CHECK(memory.devices()[0].used_bytes == 64 * kMiB);

  SUBCASE("all of it, without a threshold") {
    pools.synchronized(0);
    CHECK(memory.devices()[0].used_bytes == 0);
    CHECK(read(pools, pool, PoolAttribute::reserved_high) == 64 * kMiB);
  }
  SUBCASE("what is above the threshold") {
    const std::uint64_t threshold_bytes = 32 * kMiB;
    REQUIRE(pools.set(pool, PoolAttribute::release_threshold, &threshold_bytes) == Error::success);
    pools.synchronized(0);
    CHECK(memory.devices()[0].used_bytes == 32 * kMiB);
    CHECK(pools.trim(pool, 0) == Error::success);
    CHECK(memory.devices()[0].used_bytes == 0);
  }
  SUBCASE("high-water marks begin anew at zero only") {
    const std::uint64_t zero = 0;
    const std::uint64_t one = 1;
    CHECK(read(pools, pool, PoolAttribute::used_high) == 40 * kMiB);
    CHECK(pools.set(pool, PoolAttribute::used_high, &one) == Error::invalid_value);
    CHECK(pools.set(pool, PoolAttribute::used_high, &zero) == Error::success);
    CHECK(read(pools, pool, PoolAttribute::used_high) == 0);
  }
}

TEST_CASE("a pool fails at the device's limit and keeps what it had") {
  Memory memory(small_machine());
  Pools pools(memory);
  void* pointer = nullptr;
  CHECK(pools.allocate(pools.default_pool(0), 961 * kMiB, &pointer) == Error::out_of_memory);
  CHECK(memory.devices()[0].used_bytes == 0);
  CHECK(pools.allocate(pools.default_pool(0), 960 * kMiB, &pointer) == Error::success);
}

TEST_CASE("pools are made, made current and destroyed") {
  Memory memory(small_machine());
  Pools pools(memory);
  const Handle pool = made_pool(pools);
  CHECK(pools.set_current(0, pool) == Error::success);
  CHECK(pools.current_pool(0) == pool);
  CHECK(pools.destroy(pool) == Error::success);
  CHECK(pools.current_pool(0) == pools.default_pool(0));
  CHECK(pools.destroy(pool) == Error::invalid_value);
  CHECK(pools.destroy(pools.default_pool(0)) == Error::invalid_value);
}

TEST_CASE("a pool that is destroyed with live allocations gives all of its memory back when the last one is freed") {
  Memory memory(small_machine());
  Pools pools(memory);
  const Handle pool = made_pool(pools);
  void* first = nullptr;
  void* second = nullptr;
  REQUIRE(pools.allocate(pool, 40 * kMiB, &first) == Error::success);
  REQUIRE(pools.allocate(pool, 8 * kMiB, &second) == Error::success);
  CHECK(pools.destroy(pool) == Error::success);
  CHECK(pools.find(pool) == nullptr);
  void* third = nullptr;
  CHECK(pools.allocate(pool, kMiB, &third) == Error::invalid_value);
  CHECK(pools.free(first) == Error::success);
  CHECK(memory.devices()[0].used_bytes > 0);
  CHECK(pools.free(second) == Error::success);
  CHECK(memory.devices()[0].used_bytes == 0);
}
