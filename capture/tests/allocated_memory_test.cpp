#include "memviz/capture/allocated_memory.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <thread>

using namespace memviz::capture;

namespace {

at::Tensor bytes(std::int64_t count, c10::Device device) {
  return at::empty({count}, at::TensorOptions(device).dtype(at::kByte));
}

/// Three tensors of 1,024 bytes, one of which is kept, two alive at most.
at::Tensor three_tensors(c10::Device device) {
  at::Tensor kept = bytes(1024, device);
  bytes(1024, device);
  bytes(1024, device);
  return kept;
}

} // namespace

TEST_CASE("AllocatedMemory counts what is allocated, alive, freed, and at most alive") {
  c10::Device device(c10::kCPU);
  SUBCASE("on the CPU") {
  }
  SUBCASE("on CUDA") {
    if (!at::hasCUDA()) {
      MESSAGE("skipped: no CUDA device");
      return;
    }
    device = c10::Device(c10::kCUDA);
  }
  const AllocatedMemory memory(device);
  at::Tensor kept = three_tensors(device);
  const MemoryReading delta = memory.delta();
  CHECK(delta.allocated == 3072);
  CHECK(delta.current == 1024);
  CHECK(delta.freed == 2048);
  CHECK(delta.peak == 2048);
  CHECK(memory.after().current == memory.before().current + 1024);
  kept.reset();
  CHECK(memory.delta().current == 0);
  CHECK(memory.delta().peak == 2048);
}

TEST_CASE("an inner scope does not change the peak of an outer one") {
  const c10::Device cpu(c10::kCPU);
  const AllocatedMemory outer(cpu);
  bytes(50000, cpu);
  {
    const AllocatedMemory inner(cpu);
    bytes(20000, cpu);
    CHECK(inner.delta().peak == 20000);
  }
  CHECK(outer.delta().peak == 50000);
  const AllocatedMemory next(cpu);
  CHECK(next.delta().peak == 0);
}

TEST_CASE("AllocatedMemory sees other threads") {
  const c10::Device cpu(c10::kCPU);
  const AllocatedMemory memory(cpu);
  std::thread([cpu] { bytes(12345, cpu); }).join();
  CHECK(memory.delta().allocated == 12345);
  CHECK(memory.delta().freed == 12345);
}

TEST_CASE("AllocatedMemory refuses other devices") {
  CHECK_THROWS_AS(AllocatedMemory{c10::Device(c10::kMeta)}, std::invalid_argument);
}
