// Copies and fills. Into device memory nothing goes (but see recent_writes.hpp), out of it come zeros, and between host
// buffers they are real.
#pragma once

#include "machine.hpp"

namespace memviz::rehearsal {

// `stream` null: the legacy default stream. Addresses decide what is device memory, not the program's word on it.
Error copy(Machine& machine, void* destination, const void* source, std::size_t bytes, Handle stream);
// The host waits for it, unless both ends are device memory.
Error copy_and_wait(Machine& machine, void* destination, const void* source, std::size_t bytes);
Error copy_rows(Machine& machine, void* destination, std::size_t destination_pitch, const void* source,
                std::size_t source_pitch, std::size_t width_bytes, std::size_t height, Handle stream);
Error fill(Machine& machine, void* destination, int value, std::size_t bytes, Handle stream);

} // namespace memviz::rehearsal
