// The books of memory: what each device has, what the program took of it with cudaMalloc, and what every pointer refers
// to. No byte of it exists; see address_space.hpp.
#pragma once

#include "abi.hpp"
#include "address_space.hpp"
#include "recent_writes.hpp"
#include "settings.hpp"
#include "shared_books.hpp"

#include <vector>

namespace memviz::rehearsal {

// The driver allocates device memory in pages of 2 MiB: its granularity for cuMemCreate, and what cudaMemGetInfo shows
// as taken after a cudaMalloc of one byte.
inline constexpr std::uint64_t kPageBytes = 2ULL << 20;

// An instantiated graph, or several.
struct GraphUse {
  std::uint64_t graphs = 0;
  std::uint64_t nodes = 0;
  std::uint64_t bytes = 0; // taken by the driver for them, by the model
};

// A model of the memory that the driver takes for graphs; zero by default.
struct GraphModel {
  std::uint64_t graph_bytes = 0; // for each instantiated graph
  std::uint64_t node_bytes = 0;  // for each of its nodes
};

struct DeviceBook {
  int number = 0; // of the machine, before CUDA_VISIBLE_DEVICES
  std::uint64_t total_bytes = 0;
  std::uint64_t context_bytes = 0;
  std::uint64_t used_bytes = 0; // without the context's
  std::uint64_t peak_used_bytes = 0;
  std::uint64_t recent_peak_used_bytes = 0; // since take_recent_peak()
  std::uint64_t outside_bytes = 0;          // the part of the used bytes that libraries took
  std::uint64_t refused_bytes = 0;          // what libraries asked for in vain
  std::uint64_t other_bytes = 0;            // of other processes, as of the last call about memory
  std::uint64_t peak_all_bytes = 0;         // with those of other processes, and with contexts
  std::uint64_t most_other_bytes = 0;       // of other processes when a request failed
  std::uint64_t handle_bytes = 0;           // that the handles of libraries take on an H100
  std::uint64_t peak_handle_bytes = 0;
  GraphUse graphs;      // now; their bytes are part of the used ones
  GraphUse most_graphs; // when they had the most nodes
  bool has_context = false;

  [[nodiscard]] std::uint64_t free_bytes() const {
    const std::uint64_t taken_bytes = context_bytes + used_bytes + other_bytes;
    return total_bytes > taken_bytes ? total_bytes - taken_bytes : 0;
  }
};

enum class RangeKind { device, mapped, pooled, managed, pinned, registered, peer };

struct Range {
  std::uint64_t bytes = 0;
  RangeKind kind = RangeKind::device;
  int device = 0;
  unsigned flags = 0; // of cudaHostAlloc and cudaHostRegister
};

struct FoundRange {
  std::uint64_t begin = 0;
  Range range;
};

class Memory {
public:
  explicit Memory(const Settings& settings);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::vector<DeviceBook>& devices() { return devices_; }
  [[nodiscard]] bool is_device(int device) const { return device >= 0 && device < static_cast<int>(devices_.size()); }

  // Creates the context of a device, which takes its memory.
  void open_context(int device);
  // Returns the book of a device, with what other processes have of it now.
  const DeviceBook& current_book(int device);
  // Returns what other processes have of a device of the machine.
  [[nodiscard]] std::uint64_t other_bytes(int number) { return shared_.other_bytes(number); }

  // Takes physical memory of a device, or fails with out_of_memory and takes none.
  Error charge(int device, std::uint64_t bytes);
  void release(int device, std::uint64_t bytes);
  // Returns the most bytes of a device in use since the last call, including its context's memory.
  std::uint64_t take_recent_peak(int device);

  // Takes the memory for libraries and lazily loaded kernels of a device, at the first launch on it.
  Error charge_outside(int device);
  // Replaces the amount for charge_outside(); takes at most the free memory of a device, and releases nothing.
  void set_outside(std::uint64_t bytes) { outside_bytes_ = bytes; }

  // Takes the model's memory for a graph, and counts it; or fails with out_of_memory and does neither.
  void set_graph_model(const GraphModel& model) { graph_model_ = model; }
  [[nodiscard]] GraphUse use_of_graph(std::uint64_t nodes) const;
  Error charge_graph(int device, const GraphUse& use);
  void release_graph(int device, const GraphUse& use);

  // cudaMalloc, cudaFree. Of 0 bytes: success and a null pointer.
  Error allocate(int device, std::uint64_t bytes, void** out);
  Error free(void* pointer);

  // Adds memory of another process: addresses, without memory of the device.
  Error open_peer(int device, std::uint64_t bytes, void** out);
  Error close_peer(void* pointer);

  // cudaMallocManaged: real memory, which host and device code of the program may touch. CUDA populates such memory on
  // first touch and moves it on demand, and a program may have more of it than a device has: nothing is charged.
  Error allocate_managed(std::uint64_t bytes, void** out);

  // cudaHostAlloc, cudaFreeHost: real memory, page-aligned.
  Error allocate_host(std::uint64_t bytes, unsigned flags, void** out);
  Error free_host(void* pointer);
  Error register_host(void* pointer, std::uint64_t bytes, unsigned flags);
  Error unregister_host(void* pointer);

  // Returns the range that `pointer` points into; nullopt for memory unknown to CUDA.
  [[nodiscard]] const FoundRange* find(const void* pointer) const;
  [[nodiscard]] bool is_device_memory(const void* pointer) const;

  // Registers ranges with separate books: mapped and pooled memory.
  void add_range(std::uint64_t begin, const Range& range);
  void remove_range(std::uint64_t begin);

  AddressSpace& addresses() { return addresses_; }
  RecentWrites& writes() { return writes_; }

private:
  Error allocate_small(int device, std::uint64_t bytes, void** out);
  void free_small(std::uint64_t address, const Range& range);
  void record(DeviceBook& book);

  AddressSpace addresses_;
  RecentWrites writes_;
  std::vector<DeviceBook> devices_;
  SharedBooks shared_;
  std::uint64_t outside_bytes_ = 0;
  GraphModel graph_model_;
  struct SmallChunk { // one page that small allocations share
    int device;
    std::uint64_t used_bytes;
    FreeRanges free;
  };
  std::map<std::uint64_t, FoundRange> ranges_;
  std::map<std::uint64_t, SmallChunk> small_chunks_;
};

} // namespace memviz::rehearsal
