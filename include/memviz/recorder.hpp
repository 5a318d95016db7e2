#pragma once

// A snapshot by memviz's recorder in Python -> the program's declarations of its tensors, and what CUDA and NVML
// reported about the devices when the file was written. docs/recording.md describes the key.

#include "memviz/device_id.hpp"
#include "memviz/frames.hpp"
#include "memviz/memory_kind.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

struct Life;
struct MemoryState;

/// The memory of a tensor that existed when the file was written.
struct DeclaredMemory {
  DeviceId device;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  MemoryKind kind = MemoryKind::unknown;
  StringId name; ///< "h.0.attn.weight", of a gradient that of its parameter; "" for none
  /// `keepers` if not the program declares it, but the objects that refer to it show it.
  KindEvidence evidence = KindEvidence::declared;
};

/// Sorted by device and address.
using DeclaredTable = std::vector<DeclaredMemory>;

/// Returns the declaration of the block at this index, if it is the allocation that existed at the end; else null.
[[nodiscard]] const DeclaredMemory* declared_of(const MemoryState& state, DeviceId device, std::uint32_t block);
/// Returns the same for a life of a timeline.
[[nodiscard]] const DeclaredMemory* declared_of(const DeclaredTable& table, DeviceId device, const Life& life);

/// The facts about a device from outside PyTorch; each may be missing, and none exceeds kMaxTotalBytes.
struct MeasuredDevice {
  DeviceId device;
  std::optional<std::uint64_t> total_bytes; ///< as reported by cudaMemGetInfo
  /// The bytes that this process held in addition to PyTorch's reserved memory: the CUDA context, libraries.
  std::optional<std::uint64_t> own_outside_bytes;
  std::optional<std::uint64_t> other_processes; ///< their number
  std::optional<std::uint64_t> other_processes_bytes;
  friend bool operator==(const MeasuredDevice&, const MeasuredDevice&) = default;
};

} // namespace memviz
