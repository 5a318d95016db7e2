// Handles of memory that a program passes to another process: as a file descriptor, or as 64 bytes (fabric handles,
// CUDA IPC). The process that receives one gets a separate range, which takes nothing from its device: the memory is
// the sender's, and no byte of it exists.
#pragma once

#include <cstdint>
#include <optional>

namespace memviz::rehearsal {

struct SharedMemory {
  std::uint64_t bytes = 0;
  bool is_multicast = false;
};

// 64 bytes, as CUmemFabricHandle and cudaIpcMemHandle_t.
struct SharedBytes {
  char bytes[64];
};

[[nodiscard]] SharedBytes write_shared(const SharedMemory& memory);
// Returns nullopt for bytes that are not a handle of the made-up GPU.
[[nodiscard]] std::optional<SharedMemory> read_shared(const SharedBytes& bytes);

// Returns a new descriptor of a file in memory; -1 if the system refuses.
[[nodiscard]] int write_shared_file(const SharedMemory& memory);
[[nodiscard]] std::optional<SharedMemory> read_shared_file(int descriptor);

} // namespace memviz::rehearsal
