// A small made-up machine for tests: devices of 1 GiB, of which a context takes 64 MiB.
#pragma once

#include "pools.hpp"
#include "streams.hpp"
#include "virtual_memory.hpp"

#include <doctest/doctest.h>

namespace memviz::rehearsal {

inline constexpr std::uint64_t kMiB = 1ULL << 20;

inline Settings small_machine(int devices = 1) {
  Settings settings;
  settings.profile.name = "small";
  settings.profile.total_bytes = 1024 * kMiB;
  settings.profile.context_bytes = 64 * kMiB;
  settings.machine_devices = devices;
  for (int device = 0; device < devices; ++device)
    settings.devices.push_back(device);
  return settings;
}

inline void* take(Memory& memory, std::uint64_t bytes, int device = 0) {
  void* pointer = nullptr;
  REQUIRE(memory.allocate(device, bytes, &pointer) == Error::success);
  return pointer;
}

} // namespace memviz::rehearsal
