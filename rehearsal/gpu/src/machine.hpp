// The one made-up machine of a process: its devices' books, behind one lock, and the entry points that the exported
// functions of all libraries use. It is created at the first call; programs that never ask for a GPU do not notice it.
#pragma once

#include "live_report.hpp"
#include "pools.hpp"
#include "report.hpp"
#include "streams.hpp"
#include "virtual_memory.hpp"

#include <mutex>
#include <unordered_map>

namespace memviz::rehearsal {

struct Machine {
  explicit Machine(Settings settings_of_it);

  Settings settings;
  Memory memory;
  VirtualMemory virtual_memory{memory};
  Pools pools{memory};
  Streams streams;
  Counts counts;
  LiveReport live_report;
  std::set<std::string> notes;
  std::set<std::uint64_t> optional_workspaces; // bytes of workspaces without which the caller uses another algorithm
  std::set<std::pair<int, int>> peers;         // (device, peer) with access enabled
  std::unordered_map<const void*, void*>
      symbols; // a kernel module's variables: the host's shadow, the device's address
};

// The machine, locked: only one thread uses the books at a time. Creates the machine at the first call; bad settings or
// a real driver in the process end the program there with exit code 2 and one line on stderr.
class Locked {
public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  Machine* operator->() const { return machine_; }
  Machine& operator*() const { return *machine_; }

private:
  std::unique_lock<std::mutex> lock_;
  Machine* machine_;
};

// Returns the device that this thread has set; 0 at first.
int& current_device();

// CUDA answers every call with not_initialized in a child that was forked after its parent called CUDA; this does the
// same. The first call of CUDA makes this process the one that uses it; NVML needs no such process.
[[nodiscard]] bool is_forked();

// Records that this thread copies device memory to the host: the watcher of reads is called when the lock is released.
void note_read(Machine& machine);

// Returns the error that cudaGetLastError gives this thread.
Error& last_error();

// Runs `call` on the locked machine and keeps its error for cudaGetLastError.
template <typename Call> int runtime_call(Call call) {
  const Locked machine;
  Error error = Error::not_initialized;
  if (machine->settings.devices.empty())
    error = Error::no_device;
  else if (!is_forked())
    error = call(*machine);
  if (error != Error::success && error != Error::not_ready) last_error() = error;
  return static_cast<int>(error);
}

template <typename Call> int driver_call(Call call) {
  const Locked machine;
  if (machine->settings.devices.empty()) return static_cast<int>(Error::no_device);
  if (is_forked()) return static_cast<int>(Error::not_initialized);
  return static_cast<int>(call(*machine));
}

// Runs a function of the runtime as one of the driver, whose errors cudaGetLastError does not report.
template <typename Call> int quietly(Call call) {
  const Error before = last_error();
  const int error = call();
  last_error() = before;
  return error;
}

// Creates the context of `device`, which takes its memory.
void touch(Machine& machine, int device);

// Records a kernel, or a library call that launches some, on `stream` of the current device.
Error launch(Machine& machine, Handle stream, int node_type = 0);

// Writes a sentence to stderr, once for each text, and to the report.
void note(Machine& machine, const std::string& text, bool say = false);

} // namespace memviz::rehearsal

// Returns the name of the profile that this process rehearses on; other libraries, and Python's ctypes, recognise a
// rehearsal by this function.
MEMVIZ_EXPORT const char* memviz_rehearsal_profile();
// Takes this much of each device for kernels at the next launch on it, replacing MEMVIZ_REHEARSAL_OUTSIDE.
MEMVIZ_EXPORT void memviz_rehearsal_set_outside(std::uint64_t bytes);
// Takes this much of a device for each instantiated graph, and this much for each of its nodes.
MEMVIZ_EXPORT void memviz_rehearsal_set_graph_model(std::uint64_t graph_bytes, std::uint64_t node_bytes);
// Sets three numbers: how many graphs were instantiated at once on all devices when these had the most nodes, their
// nodes, and their bytes according to the model.
MEMVIZ_EXPORT void memviz_rehearsal_graphs(std::uint64_t* graphs_nodes_bytes);
// Returns the most bytes of a visible device in use since the last call, including its context's; 0 without such a
// device.
MEMVIZ_EXPORT std::uint64_t memviz_rehearsal_take_peak(int device);
// Whether PyTorch's allocator asks the device for this much for a workspace of cuDNN without which PyTorch uses another
// algorithm: running out of memory is no failure then.
MEMVIZ_EXPORT int memviz_rehearsal_is_optional(std::uint64_t segment_bytes);
// Calls `on_read` after each copy of device memory to the host, in the calling thread; null: stops.
MEMVIZ_EXPORT void memviz_rehearsal_watch_reads(void (*on_read)());
// Appends the report's line now. Returns 0, or -1 if there is no file or it cannot be written.
MEMVIZ_EXPORT int memviz_rehearsal_report();
