// CUDA driver: modules and kernels that a program loads itself (NVRTC, Triton). The code is ignored.
#include "device_facts.hpp"
#include "machine.hpp"

using namespace memviz::rehearsal;

namespace {

struct Module {
  int device;
};

int make_module(Handle* module) {
  return driver_call([&](Machine&) {
    if (!module) return Error::invalid_value;
    *module = new Module{current_device()};
    return Error::success;
  });
}

int launch_on(Handle stream) {
  return driver_call([&](Machine& machine) { return launch(machine, stream); });
}

} // namespace

MEMVIZ_EXPORT int cuModuleLoad(Handle* module, const char*) {
  return make_module(module);
}
MEMVIZ_EXPORT int cuModuleLoadData(Handle* module, const void*) {
  return make_module(module);
}
MEMVIZ_EXPORT int cuModuleLoadDataEx(Handle* module, const void*, unsigned, void*, void*) {
  return make_module(module);
}
MEMVIZ_EXPORT int cuModuleLoadFatBinary(Handle* module, const void*) {
  return make_module(module);
}
MEMVIZ_EXPORT int cuModuleUnload(Handle module) {
  delete static_cast<Module*>(module);
  return 0;
}

// A function's handle is its module's, because no query distinguishes them.
MEMVIZ_EXPORT int cuModuleGetFunction(Handle* function, Handle module, const char*) {
  if (!function || !module) return static_cast<int>(Error::invalid_value);
  *function = module;
  return 0;
}
MEMVIZ_EXPORT int cuLibraryLoadData(Handle* library, const void*, void*, void*, unsigned, void*, void*, unsigned) {
  return make_module(library);
}
MEMVIZ_EXPORT int cuLibraryUnload(Handle library) {
  return cuModuleUnload(library);
}
MEMVIZ_EXPORT int cuLibraryGetKernel(Handle* kernel, Handle library, const char* name) {
  return cuModuleGetFunction(kernel, library, name);
}
MEMVIZ_EXPORT int cuKernelGetFunction(Handle* function, Handle kernel) {
  return cuModuleGetFunction(function, kernel, nullptr);
}

// The numbers of CUfunction_attribute: 0 threads per block, 4 registers, 5 PTX version, 6 binary version, 8 maximum
// dynamic shared memory; a kernel's own shared, constant and local memory (1, 2, 3) are assumed to be 0.
MEMVIZ_EXPORT int cuFuncGetAttribute(int* value, int attribute, Handle) {
  return driver_call([&](Machine& machine) {
    if (!value) return Error::invalid_value;
    switch (attribute) {
    case 0: *value = 1024; break;
    case 4: *value = 32; break;
    case 5:
    case 6: *value = code_version(machine.settings.profile); break;
    case 8: *value = kSharedBytesPerBlock; break;
    default: *value = 0; break;
    }
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuLaunchKernel(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 Handle stream, void**, void**) {
  return launch_on(stream);
}
MEMVIZ_EXPORT int cuLaunchCooperativeKernel(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                            unsigned, Handle stream, void**) {
  return launch_on(stream);
}
MEMVIZ_EXPORT int cuLaunchKernelEx(const DriverLaunchConfig* config, Handle, void**, void**) {
  return config ? launch_on(config->stream) : static_cast<int>(Error::invalid_value);
}

MEMVIZ_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Handle, int block_threads,
                                                              std::size_t shared_bytes) {
  return driver_call([&](Machine& machine) {
    *blocks = blocks_per_multiprocessor(machine.settings.profile, block_threads, shared_bytes);
    return Error::success;
  });
}
MEMVIZ_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Handle function, int block_threads,
                                                                       std::size_t shared_bytes, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_threads, shared_bytes);
}
