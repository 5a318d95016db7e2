#include "table.hpp"

#include <algorithm>
#include <array>

// Declared without parameters, to take their addresses; nothing is called here.
#define BOOKS(library, name) extern "C" void name();
#define NOTHING BOOKS
#define FAILS BOOKS
#define FAILS_NULL BOOKS
#define CREATES BOOKS
#define DESTROYS BOOKS
#define STREAM BOOKS
#define LAUNCHES BOOKS
#define LAUNCHES_WELL(library, name, position) extern "C" void name();
#define NO_WORKSPACE(library, name, position, type) extern "C" void name();
#define NO_WORKSPACES(library, name, position) extern "C" void name();
#include "functions.def"
#undef BOOKS
#undef LAUNCHES_WELL
#undef NO_WORKSPACE
#undef NO_WORKSPACES

namespace memviz::rehearsal {
namespace {

struct Entry {
  const char* name;
  void (*function)();
};

#define BOOKS(library, name) Entry{#name, name},
#define LAUNCHES_WELL(library, name, position) Entry{#name, name},
#define NO_WORKSPACE(library, name, position, type) Entry{#name, name},
#define NO_WORKSPACES(library, name, position) Entry{#name, name},
constexpr Entry kFunctions[] = {
#include "functions.def"
};

// The CUDA version from which a program means the function with this suffix. Others with a suffix are older than CUDA
// 11, and every program means them.
struct Since {
  const char* name;
  int version;
};
constexpr std::array kSince{
    Since{"cuCtxCreate_v3", 11040},
    Since{"cuCtxCreate_v4", 12050},
    Since{"cuCtxGetDevice_v2", 13000},
    Since{"cuCtxSynchronize_v2", 13000},
    Since{"cuDeviceGetUuid_v2", 11040},
    Since{"cuEventElapsedTime_v2", 12080},
    Since{"cuGetProcAddress_v2", 12000},
    Since{"cuGraphAddDependencies_v2", 12030},
    Since{"cuGraphAddKernelNode_v2", 12000},
    Since{"cuGraphAddNode_v2", 12030},
    Since{"cuGraphExecKernelNodeSetParams_v2", 12000},
    Since{"cuGraphExecUpdate_v2", 12000},
    Since{"cuGraphGetEdges_v2", 12030},
    Since{"cuGraphKernelNodeGetParams_v2", 12000},
    Since{"cuGraphKernelNodeSetParams_v2", 12000},
    Since{"cuGraphNodeGetDependencies_v2", 12030},
    Since{"cuGraphNodeGetDependentNodes_v2", 12030},
    Since{"cuGraphRemoveDependencies_v2", 12030},
    Since{"cuIpcOpenMemHandle_v2", 11000},
    Since{"cuMemAdvise_v2", 12020},
    Since{"cuMemPrefetchAsync_v2", 12020},
    Since{"cuMemcpy3DBatchAsync_v2", 13000},
    Since{"cuMemcpyBatchAsync_v2", 13000},
    Since{"cuStreamBatchMemOp_v2", 11070},
    Since{"cuStreamGetCaptureInfo_v2", 11030},
    Since{"cuStreamGetCaptureInfo_v3", 12030},
    Since{"cuStreamGetCtx_v2", 12050},
    Since{"cuStreamUpdateCaptureDependencies_v2", 12030},
    Since{"cuStreamWaitValue32_v2", 11070},
    Since{"cuStreamWaitValue64_v2", 11070},
    Since{"cuStreamWriteValue32_v2", 11070},
    Since{"cuStreamWriteValue64_v2", 11070},
};

int since(const std::string& name) {
  const auto found = std::find_if(kSince.begin(), kSince.end(), [&](const Since& entry) { return name == entry.name; });
  return found == kSince.end() ? 0 : found->version;
}

} // namespace

void* find_function(const std::string& name) {
  for (const Entry& entry : kFunctions)
    if (name == entry.name) return reinterpret_cast<void*>(entry.function);
  return nullptr;
}

void* find_driver_function(const std::string& name, int cuda_version) {
  for (const char* const suffix : {"_v4", "_v3", "_v2", ""}) {
    const std::string full = name + suffix;
    if (since(full) > cuda_version) continue;
    if (void* const function = find_function(full)) return function;
  }
  return nullptr;
}

} // namespace memviz::rehearsal
