#include "device_facts.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace memviz::rehearsal {
namespace {

struct Fact {
  int attribute;
  long long value;
};

// The same for every GPU since Volta. Numbers of attributes: cuda.h, CUdevice_attribute.
constexpr std::array kCommonFacts{
    Fact{1, 1024},       // threads per block
    Fact{2, 1024},       // block x, y, z
    Fact{3, 1024},       //
    Fact{4, 64},         //
    Fact{5, 2147483647}, // grid x, y, z
    Fact{6, 65535},      //
    Fact{7, 65535},      //
    Fact{8, kSharedBytesPerBlock},
    Fact{9, 65536}, // constant memory
    Fact{10, kWarpThreads},
    Fact{11, 2147483647}, // pitch
    Fact{12, kRegistersPerMultiprocessor},
    Fact{13, 1000000}, // clock in kHz, which has no effect
    Fact{14, 512},     // texture alignment
    Fact{15, 1},       // copies while kernels run
    Fact{19, 1},       // maps host memory
    Fact{30, 512},     // surface alignment
    Fact{31, 1},       // concurrent kernels
    Fact{36, 1000000}, // memory clock in kHz
    Fact{40, 3},       // copy engines
    Fact{41, 1},       // unified addressing
    Fact{51, 32},      // texture pitch alignment
    Fact{78, 1},       // stream priorities
    Fact{79, 1},       // global and local L1
    Fact{80, 1},       //
    Fact{82, kRegistersPerMultiprocessor},
    Fact{83, 1},          // managed memory
    Fact{87, 2},          // single to double precision
    Fact{89, 1},          // concurrent managed access
    Fact{90, 1},          // compute preemption
    Fact{91, 1},          // host pointers for registered memory
    Fact{95, 1},          // cooperative launch
    Fact{99, 1},          // cudaHostRegister
    Fact{102, 1},         // virtual memory management
    Fact{103, 1},         // memory handles as file descriptors
    Fact{109, 134213632}, // access policy window
    Fact{113, 1},         // read-only cudaHostRegister
    Fact{115, 1},         // memory pools
    Fact{119, 1},         // pools as file descriptors
    Fact{126, 1},         // memory synchronization domains
};

constexpr int kLastAttribute = 147;

} // namespace

long long device_attribute(const Profile& profile, int device, int attribute) {
  const bool is_ampere_or_later = profile.capability_major >= 8;
  switch (attribute) {
  case 16: return profile.multiprocessors;
  case 18: return profile.system_bytes > 0; // integrated
  case 33: return device + 1;               // PCI bus
  case 37: return profile.memory_bus_bits;
  case 38: return static_cast<long long>(profile.l2_cache_bytes);
  case 39: return profile.threads_per_multiprocessor;
  case 75: return profile.capability_major;
  case 76: return profile.capability_minor;
  case 81: return static_cast<long long>(profile.shared_bytes_per_multiprocessor);
  case 97: return static_cast<long long>(profile.shared_bytes_per_block);
  case 106: return profile.blocks_per_multiprocessor;
  case 111: return is_ampere_or_later ? kReservedSharedBytesPerBlock : 0;
  case 132: // multicast objects: switches of NVLink since Hopper
    return profile.capability_major >= 9 && profile.nvlink_links > 0;
  case 120: // clusters
  case 127: // tensor maps
  case 129: // unified function pointers
    return profile.capability_major >= 9;
  default: break;
  }
  for (const Fact& fact : kCommonFacts)
    if (fact.attribute == attribute) return fact.value;
  return attribute >= 1 && attribute <= kLastAttribute ? 0 : -1;
}

Uuid device_uuid(int device) {
  Uuid uuid{{'m', 'e', 'm', 'v', 'i', 'z'}};
  uuid.bytes[14] = static_cast<char>(device >> 8);
  uuid.bytes[15] = static_cast<char>(device & 255);
  return uuid;
}

std::string pci_bus_id(int device) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "0000:%02X:00.0", (device + 1) & 255);
  return text.data();
}

namespace {

// Sets the members that both layouts have, by name.
template <typename Properties> Properties common_properties(const Profile& profile, int device) {
  const auto fact = [&](int attribute) { return static_cast<int>(device_attribute(profile, device, attribute)); };
  Properties p;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s", profile.device.c_str());
  p.uuid = device_uuid(device);
  p.totalGlobalMem = profile.total_bytes;
  p.sharedMemPerBlock = kSharedBytesPerBlock;
  p.regsPerBlock = fact(12);
  p.warpSize = kWarpThreads;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = fact(1);
  for (int axis = 0; axis < 3; ++axis) {
    p.maxThreadsDim[axis] = fact(2 + axis);
    p.maxGridSize[axis] = fact(5 + axis);
  }
  p.totalConstMem = 65536;
  p.major = profile.capability_major;
  p.minor = profile.capability_minor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = profile.multiprocessors;
  p.integrated = fact(18);
  p.canMapHostMemory = 1;
  p.surfaceAlignment = 512;
  p.concurrentKernels = 1;
  p.pciBusID = fact(33);
  p.asyncEngineCount = fact(40);
  p.unifiedAddressing = 1;
  p.memoryBusWidth = profile.memory_bus_bits;
  p.l2CacheSize = fact(38);
  p.maxThreadsPerMultiProcessor = profile.threads_per_multiprocessor;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = profile.shared_bytes_per_multiprocessor;
  p.regsPerMultiprocessor = kRegistersPerMultiprocessor;
  p.managedMemory = p.concurrentManagedAccess = p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = profile.shared_bytes_per_block;
  p.maxBlocksPerMultiProcessor = profile.blocks_per_multiprocessor;
  p.accessPolicyMaxWindowSize = fact(109);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(fact(111));
  p.hostRegisterSupported = p.hostRegisterReadOnlySupported = p.memoryPoolsSupported = 1;
  p.memoryPoolSupportedHandleTypes = 1;
  p.clusterLaunch = fact(120);
  p.unifiedFunctionPointers = fact(129);
  return p;
}

} // namespace

DeviceProperties12 device_properties12(const Profile& profile, int device) {
  auto p = common_properties<DeviceProperties12>(profile, device);
  p.clockRate = 1000000;
  p.memoryClockRate = 1000000;
  p.deviceOverlap = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  return p;
}

DeviceProperties13 device_properties13(const Profile& profile, int device) {
  return common_properties<DeviceProperties13>(profile, device);
}

int blocks_per_multiprocessor(const Profile& profile, int block_threads, std::size_t shared_bytes) {
  if (block_threads <= 0 || block_threads > 1024) return 0;
  const int warp_threads = static_cast<int>(round_up(static_cast<std::uint64_t>(block_threads), kWarpThreads));
  const int by_threads = profile.threads_per_multiprocessor / warp_threads;
  if (shared_bytes > profile.shared_bytes_per_block) return 0;
  const std::uint64_t reserved_bytes = profile.capability_major >= 8 ? kReservedSharedBytesPerBlock : 0;
  const std::uint64_t block_bytes = std::max<std::uint64_t>(shared_bytes + reserved_bytes, 1);
  const auto by_shared =
      static_cast<int>(std::min<std::uint64_t>(profile.shared_bytes_per_multiprocessor / block_bytes, 64));
  return std::min({by_threads, by_shared, profile.blocks_per_multiprocessor});
}

int code_version(const Profile& profile) {
  constexpr std::array kCodes{120, 100, 90, 86, 80, 75, 70};
  const int capability = profile.capability_major * 10 + profile.capability_minor;
  for (const int code : kCodes)
    if (code / 10 == capability / 10 && code <= capability) return code;
  return capability;
}

} // namespace memviz::rehearsal
