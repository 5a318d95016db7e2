// The part of CUDA's binary interface that the made-up GPU implements: handles, structures and numbers as programs
// compiled with CUDA 12 or 13 pass them. Written from NVIDIA's documentation, so that no toolkit is needed to build;
// tests/abi_test.cpp compares it with the real headers if they are installed.
#pragma once

#include <cstddef>

#define MEMVIZ_EXPORT extern "C" __attribute__((visibility("default")))

namespace memviz::rehearsal {

// cudaError_t and CUresult have had the same numbers since CUDA 10.1, except for the few that only one of them has.
enum class Error : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_configuration = 9,
  invalid_symbol = 13,
  invalid_memcpy_direction = 21,
  no_device = 100,
  invalid_device = 101,
  invalid_context = 201,
  peer_access_unsupported = 217,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600,
  peer_access_already_enabled = 704,
  peer_access_not_enabled = 705,
  host_memory_already_registered = 712,
  host_memory_not_registered = 713,
  not_supported = 801,
  capture_unsupported = 900,
  capture_invalidated = 901,
  capture_merge = 902,
  capture_unmatched = 903,
  capture_unjoined = 904,
  capture_isolation = 905,
  capture_implicit = 906,
  captured_event = 907,
  capture_wrong_thread = 908,
};

using Handle = void*; // streams, events, graphs, kernels, pools: handles that a program only passes on

struct Dim3 {
  unsigned x, y, z;
};

struct Uuid {
  char bytes[16];
};

enum class MemoryType : int { unregistered = 0, host = 1, device = 2, managed = 3 };
enum class LocationType : int { invalid = 0, device = 1 };

struct Location { // cudaMemLocation, CUmemLocation
  LocationType type;
  int id;
};

struct AllocationProperties { // CUmemAllocationProp
  int type;                   // 1: pinned
  int requested_handle_types;
  Location location;
  void* win32_handle_meta_data;
  unsigned char flags[8];
};

struct AccessDescription { // cudaMemAccessDesc, CUmemAccessDesc
  Location location;
  int flags; // 0: none, 1: read, 3: read and write
};

struct MulticastProperties { // CUmulticastObjectProp
  unsigned devices;
  std::size_t bytes;
  unsigned long long handle_types;
  unsigned long long flags;
};

struct PoolProperties { // cudaMemPoolProps, CUmemPoolProps
  int allocation_type;
  int handle_types;
  Location location;
  void* win32_security_attributes;
  std::size_t max_bytes;
  unsigned char reserved[56];
};

// In CUDA 12 cudaPointerAttributes has 24 bytes; CUDA 13 adds a reserved end, which is not written.
struct PointerAttributes {
  MemoryType type;
  int device;
  void* device_pointer;
  void* host_pointer;
};

struct FunctionAttributes { // cudaFuncAttributes
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared_bytes;
  int preferred_shared_memory_carveout, cluster_dim_must_be_set, required_cluster[3], cluster_scheduling_policy;
  int non_portable_cluster_size_allowed, reserved[16];
};

struct LaunchConfig { // the beginning of cudaLaunchConfig_t
  Dim3 grid, block;
  std::size_t dynamic_shared_bytes;
  Handle stream;
};

struct DriverLaunchConfig { // the beginning of CUlaunchConfig
  Dim3 grid, block;
  unsigned shared_bytes;
  Handle stream;
};

} // namespace memviz::rehearsal
