#include "transfer.hpp"

#include <cstring>
#include <utility>

namespace memviz::rehearsal {
namespace {

constexpr int kCopyNode = 1;
constexpr int kFillNode = 2;

// Whether the next condition that this thread reads holds.
bool& next_condition() {
  thread_local bool holds = false;
  return holds;
}

// Device memory must be allocated; host memory is not checked.
bool is_valid(const Machine& machine, const void* pointer) {
  return !machine.memory.is_device_memory(pointer) || machine.memory.find(pointer);
}

// Whether a stream captures: its work is done when the graph is launched, which does nothing.
bool is_capturing(Machine& machine, Handle stream) {
  const Stream* const found = machine.streams.find(stream, current_device());
  return found && found->capture;
}

void copy_now(Machine& machine, void* destination, const void* source, std::size_t bytes) {
  const bool to_device = machine.memory.is_device_memory(destination);
  const bool from_device = machine.memory.is_device_memory(source);
  RecentWrites& writes = machine.memory.writes();
  const auto destination_number = reinterpret_cast<std::uint64_t>(destination);
  const auto source_number = reinterpret_cast<std::uint64_t>(source);
  if (to_device && from_device) {
    writes.copy(destination_number, source_number, bytes);
  } else if (to_device) {
    writes.write(destination_number, source, bytes);
  } else if (from_device) {
    note_read(machine);
    writes.read(source_number, destination, bytes);
    if (bytes == 1 && std::exchange(next_condition(), false)) std::memset(destination, 1, 1);
  } else {
    std::memmove(destination, source, bytes);
  }
}

// Whether the host waits for a copy that is not a blocking one: it does if host memory that is not pinned receives it
// (CUDA runtime API, "API synchronization behavior"). A copy from such memory may wait, but does not here.
bool waits(Machine& machine, const void* destination) {
  return !machine.memory.is_device_memory(destination) && !machine.memory.find(destination);
}

void wait_for(Machine& machine, Handle stream) {
  if (Stream* const found = machine.streams.find(stream, current_device()))
    static_cast<void>(machine.streams.synchronize(*found));
}

} // namespace

Error copy(Machine& machine, void* destination, const void* source, std::size_t bytes, Handle stream) {
  if (bytes == 0) return Error::success;
  if (!destination || !source || !is_valid(machine, destination) || !is_valid(machine, source))
    return Error::invalid_value;
  if (const Error error = launch(machine, stream, kCopyNode); error != Error::success) return error;
  if (is_capturing(machine, stream)) return Error::success;
  copy_now(machine, destination, source, bytes);
  if (waits(machine, destination)) wait_for(machine, stream);
  return Error::success;
}

Error copy_and_wait(Machine& machine, void* destination, const void* source, std::size_t bytes) {
  const Error error = copy(machine, destination, source, bytes, nullptr);
  const bool stays = machine.memory.is_device_memory(destination) && machine.memory.is_device_memory(source);
  if (error == Error::success && bytes > 0 && !stays) wait_for(machine, nullptr);
  return error;
}

Error copy_rows(Machine& machine, void* destination, std::size_t destination_pitch, const void* source,
                std::size_t source_pitch, std::size_t width_bytes, std::size_t height, Handle stream) {
  if (width_bytes == 0 || height == 0) return Error::success;
  if (!destination || !source || width_bytes > destination_pitch || width_bytes > source_pitch)
    return Error::invalid_value;
  if (!is_valid(machine, destination) || !is_valid(machine, source)) return Error::invalid_value;
  if (const Error error = launch(machine, stream, kCopyNode); error != Error::success) return error;
  if (is_capturing(machine, stream)) return Error::success;
  for (std::size_t row = 0; row < height; ++row)
    copy_now(machine, static_cast<char*>(destination) + row * destination_pitch,
             static_cast<const char*>(source) + row * source_pitch, width_bytes);
  if (waits(machine, destination)) wait_for(machine, stream);
  return Error::success;
}

Error fill(Machine& machine, void* destination, int value, std::size_t bytes, Handle stream) {
  if (bytes == 0) return Error::success;
  if (!destination || !is_valid(machine, destination)) return Error::invalid_value;
  if (const Error error = launch(machine, stream, kFillNode); error != Error::success) return error;
  if (is_capturing(machine, stream)) return Error::success;
  const auto byte = static_cast<unsigned char>(value);
  if (machine.memory.is_device_memory(destination))
    machine.memory.writes().fill(reinterpret_cast<std::uint64_t>(destination), byte, bytes);
  else
    std::memset(destination, byte, bytes);
  return Error::success;
}

} // namespace memviz::rehearsal

// Sets whether the next copy of one byte from a device to the host, on this thread, gives 1 instead of 0.
MEMVIZ_EXPORT void memviz_rehearsal_next_condition(int holds) {
  memviz::rehearsal::next_condition() = holds != 0;
}
