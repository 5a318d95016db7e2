// CUDA runtime: kernels, their registration by compiled code, their attributes, and device variables.
#include "device_facts.hpp"
#include "machine.hpp"
#include "transfer.hpp"

#include <cstring>
#include <mutex>
#include <vector>

using namespace memviz::rehearsal;

namespace {

// Modules register when they are loaded, long before a program asks for a GPU, so this is separate from the machine.
std::mutex registry_mutex;
std::unordered_map<const void*, std::size_t>& registry() {
  static auto* const sizes = new std::unordered_map<const void*, std::size_t>; // bytes by the host's shadow variable
  return *sizes;
}

Error check_size(const Dim3& grid, const Dim3& block) {
  const bool is_empty = grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0;
  const bool is_large = grid.x > 2147483647U || grid.y > 65535 || grid.z > 65535 || block.x > 1024 || block.y > 1024 ||
                        block.z > 64 || std::uint64_t{block.x} * block.y * block.z > 1024;
  return is_empty || is_large ? Error::invalid_configuration : Error::success;
}

int launch_kernel(const Dim3& grid, const Dim3& block, Handle stream) {
  return runtime_call([&](Machine& machine) {
    const Error error = check_size(grid, block);
    return error == Error::success ? launch(machine, stream) : error;
  });
}

// Returns the address of a variable on the current device. Its memory is the module's, which is included in the
// context's bytes.
Error symbol_address(Machine& machine, const void* symbol, std::uint64_t* address, std::size_t* bytes) {
  const std::lock_guard lock(registry_mutex);
  const auto registered = registry().find(symbol);
  if (registered == registry().end()) return Error::invalid_symbol;
  *bytes = registered->second;
  void*& known = machine.symbols[symbol];
  if (!known) {
    const auto taken = machine.memory.addresses().take(round_up(*bytes, 512), 512);
    if (!taken) return Error::out_of_memory;
    machine.memory.add_range(*taken, {*bytes, RangeKind::mapped, current_device(), 0});
    known = reinterpret_cast<void*>(*taken);
  }
  *address = reinterpret_cast<std::uint64_t>(known);
  return Error::success;
}

struct CallConfiguration {
  Dim3 grid, block;
  std::size_t shared_bytes;
  Handle stream;
};

std::vector<CallConfiguration>& configurations() {
  thread_local std::vector<CallConfiguration> pushed;
  return pushed;
}

} // namespace

MEMVIZ_EXPORT void** __cudaRegisterFatBinary(void* binary) {
  return new void*(binary); // a handle; __cudaUnregisterFatBinary takes it back
}
MEMVIZ_EXPORT void __cudaRegisterFatBinaryEnd(void**) {
}
MEMVIZ_EXPORT void __cudaUnregisterFatBinary(void** handle) {
  delete handle;
}
MEMVIZ_EXPORT char __cudaInitModule(void**) {
  return 1;
}
MEMVIZ_EXPORT void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*,
                                          int*) {
}
MEMVIZ_EXPORT void __cudaRegisterVar(void**, char* host_variable, char*, const char*, int, std::size_t bytes, int,
                                     int) {
  const std::lock_guard lock(registry_mutex);
  registry()[host_variable] = bytes;
}

MEMVIZ_EXPORT unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared_bytes, Handle stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

MEMVIZ_EXPORT int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared_bytes, void* stream) {
  if (configurations().empty()) return static_cast<int>(Error::invalid_configuration);
  const CallConfiguration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  std::memcpy(stream, &top.stream, sizeof top.stream);
  return 0;
}

// A kernel's handle is the address of its host function.
MEMVIZ_EXPORT int __cudaGetKernel(Handle* kernel, const void* function) {
  *kernel = const_cast<void*>(function);
  return 0;
}

MEMVIZ_EXPORT int cudaLaunchKernel(const void*, Dim3 grid, Dim3 block, void**, std::size_t, Handle stream) {
  return launch_kernel(grid, block, stream);
}

MEMVIZ_EXPORT int __cudaLaunchKernel(Handle, Dim3 grid, Dim3 block, void**, std::size_t, Handle stream) {
  return launch_kernel(grid, block, stream);
}

MEMVIZ_EXPORT int cudaLaunchCooperativeKernel(const void*, Dim3 grid, Dim3 block, void**, std::size_t, Handle stream) {
  return launch_kernel(grid, block, stream);
}

MEMVIZ_EXPORT int cudaLaunchKernelExC(const LaunchConfig* config, const void*, void**) {
  if (!config) return static_cast<int>(Error::invalid_value);
  return launch_kernel(config->grid, config->block, config->stream);
}

// The compiler's figures of a kernel (registers, its own shared memory) are in code that is not read, so these are
// common ones.
MEMVIZ_EXPORT int cudaFuncGetAttributes(FunctionAttributes* attributes, const void*) {
  return runtime_call([&](Machine& machine) {
    if (!attributes) return Error::invalid_value;
    std::memset(attributes, 0, sizeof *attributes);
    attributes->max_threads_per_block = 1024;
    attributes->registers = 32;
    attributes->ptx_version = attributes->binary_version = code_version(machine.settings.profile);
    attributes->max_dynamic_shared_bytes = kSharedBytesPerBlock;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaFuncSetAttribute(const void*, int, int) {
  return runtime_call([](Machine&) { return Error::success; });
}

MEMVIZ_EXPORT int cudaKernelSetAttributeForDevice(Handle, int, int, int) {
  return runtime_call([](Machine&) { return Error::success; });
}

MEMVIZ_EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int block_threads,
                                                                         std::size_t shared_bytes, unsigned) {
  return runtime_call([&](Machine& machine) {
    if (!blocks) return Error::invalid_value;
    *blocks = blocks_per_multiprocessor(machine.settings.profile, block_threads, shared_bytes);
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_threads,
                                                                std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads, shared_bytes, 0);
}

MEMVIZ_EXPORT int cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return runtime_call([&](Machine& machine) {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    const Error error = symbol_address(machine, symbol, &address, &bytes);
    if (error == Error::success) *pointer = reinterpret_cast<void*>(address);
    return error;
  });
}

MEMVIZ_EXPORT int cudaGetSymbolSize(std::size_t* out_bytes, const void* symbol) {
  return runtime_call([&](Machine& machine) {
    std::uint64_t address = 0;
    return symbol_address(machine, symbol, &address, out_bytes);
  });
}

MEMVIZ_EXPORT int cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                                     int) {
  return runtime_call([&](Machine& machine) {
    std::uint64_t address = 0;
    std::size_t symbol_bytes = 0;
    const Error error = symbol_address(machine, symbol, &address, &symbol_bytes);
    if (error != Error::success) return error;
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) return Error::invalid_value;
    return copy_and_wait(machine, reinterpret_cast<void*>(address + offset), source, bytes);
  });
}
