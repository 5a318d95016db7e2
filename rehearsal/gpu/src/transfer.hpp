// Copies and fills. Writes to device memory are dropped (except those of recent_writes.hpp), reads give zeros, and
// copies between host buffers are real.
#pragma once

#include "machine.hpp"

namespace memviz::rehearsal {

// `stream` null: the legacy default stream. Addresses decide what is device memory, not the program's arguments.
Error copy(Machine& machine, void* destination, const void* source, std::size_t bytes, Handle stream);
// The host waits for it, unless both ends are device memory.
Error copy_and_wait(Machine& machine, void* destination, const void* source, std::size_t bytes);
Error copy_rows(Machine& machine, void* destination, std::size_t destination_pitch, const void* source,
                std::size_t source_pitch, std::size_t width_bytes, std::size_t height, Handle stream);
Error fill(Machine& machine, void* destination, int value, std::size_t bytes, Handle stream);

} // namespace memviz::rehearsal
