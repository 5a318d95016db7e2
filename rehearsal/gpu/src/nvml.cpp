// NVML: all devices of the machine by number, whatever CUDA_VISIBLE_DEVICES says; and their memory according to the
// books of this process and of the others.
#include "device_facts.hpp"
#include "machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace memviz::rehearsal;

namespace {

constexpr int kNvmlInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kNvmlNotFound = 6;
constexpr int kInsufficientSize = 7;
constexpr int kOverNvLink = 2;                              // NVML_P2P_CAPS_INDEX_NVLINK
constexpr int kP2pNotSupported = 5;                         // NVML_P2P_STATUS_NOT_SUPPORTED
constexpr int kPciBusAttribute = 33;                        // cudaDevAttrPciBusId
constexpr unsigned kNvidia = 0x10de;                        // of PCI's list of vendors
constexpr std::uintptr_t kFirstDevice = 0x6e766d6c00000001; // a handle that is recognised, not dereferenced

struct MemoryInfo {
  unsigned long long total, free, used;
};

struct MemoryInfo2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

struct Utilization {
  unsigned gpu, memory;
};

struct PciInfo { // nvmlPciInfo_t
  char legacy_bus_id[16];
  unsigned domain, bus, device, vendor_and_device, subsystem;
  char bus_id[32];
};

// The beginning of nvmlGpuFabricInfo_v2_t and _v3_t.
struct GpuFabricInfo {
  unsigned version;
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
};

template <typename Call> int with_device(Handle handle, Call call) {
  const Locked machine;
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(handle) - kFirstDevice;
  if (number >= static_cast<std::uintptr_t>(machine->settings.machine_devices)) return kNvmlInvalidArgument;
  return call(*machine, static_cast<int>(number));
}

int give_device(Handle* out, int number) {
  const Locked machine;
  if (!out || number < 0 || number >= machine->settings.machine_devices) return kNvmlInvalidArgument;
  *out = reinterpret_cast<Handle>(kFirstDevice + static_cast<std::uintptr_t>(number));
  return 0;
}

int give_text(const std::string& text, char* out, unsigned length) {
  if (!out) return kNvmlInvalidArgument;
  if (length <= text.size()) return kInsufficientSize;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return 0;
}

std::string uuid_text(int number) {
  char text[64]; // device_uuid's bytes
  std::snprintf(text, sizeof text, "GPU-6d656d76-697a-0000-0000-%012x", static_cast<unsigned>(number));
  return text;
}

// Also of a device that this process does not see.
std::uint64_t taken_bytes(Machine& machine, int number) {
  std::uint64_t bytes = machine.memory.other_bytes(number);
  for (const DeviceBook& book : machine.memory.devices())
    if (book.number == number) bytes += book.used_bytes + (book.has_context ? book.context_bytes : 0);
  return std::min(bytes, machine.settings.profile.total_bytes);
}

} // namespace

MEMVIZ_EXPORT int nvmlInit_v2() {
  return 0;
}
MEMVIZ_EXPORT int nvmlInit() {
  return 0;
}
MEMVIZ_EXPORT int nvmlInitWithFlags(unsigned) {
  return 0;
}
MEMVIZ_EXPORT int nvmlShutdown() {
  return 0;
}

MEMVIZ_EXPORT const char* nvmlErrorString(int error) {
  switch (error) {
  case 0: return "Success";
  case kNvmlInvalidArgument: return "Invalid Argument";
  case kNotSupported: return "Not Supported";
  case kNvmlNotFound: return "Not Found";
  case kInsufficientSize: return "Insufficient Size";
  default: return "Unknown Error";
  }
}

MEMVIZ_EXPORT int nvmlSystemGetCudaDriverVersion(int* version) {
  *version = kDriverVersion;
  return 0;
}
MEMVIZ_EXPORT int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return nvmlSystemGetCudaDriverVersion(version);
}
MEMVIZ_EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return give_text("memviz rehearsal", text, length);
}
MEMVIZ_EXPORT int nvmlSystemGetNVMLVersion(char* text, unsigned length) {
  return give_text("memviz rehearsal", text, length);
}

MEMVIZ_EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  const Locked machine;
  *count = static_cast<unsigned>(machine->settings.machine_devices);
  return 0;
}
MEMVIZ_EXPORT int nvmlDeviceGetCount(unsigned* count) {
  return nvmlDeviceGetCount_v2(count);
}

MEMVIZ_EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned number, Handle* device) {
  return give_device(device, static_cast<int>(number));
}
MEMVIZ_EXPORT int nvmlDeviceGetHandleByIndex(unsigned number, Handle* device) {
  return give_device(device, static_cast<int>(number));
}

MEMVIZ_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* text, Handle* device) {
  if (!text) return kNvmlInvalidArgument;
  // "0000:01:00.0" or "00000000:01:00.0": the end is the same.
  const std::string asked = text;
  for (int number = 0;; ++number) {
    const int error = give_device(device, number);
    if (error) return kNvmlNotFound;
    const std::string known = pci_bus_id(number);
    if (asked.size() >= known.size() && asked.compare(asked.size() - known.size(), known.size(), known) == 0) return 0;
  }
}

MEMVIZ_EXPORT int nvmlDeviceGetPciInfo_v3(Handle device, PciInfo* info) {
  return with_device(device, [&](Machine& machine, int number) {
    *info = {};
    info->bus = static_cast<unsigned>(device_attribute(machine.settings.profile, number, kPciBusAttribute));
    info->vendor_and_device = kNvidia; // the model's number is not known
    give_text(pci_bus_id(number), info->legacy_bus_id, sizeof info->legacy_bus_id);
    return give_text("0000" + pci_bus_id(number), info->bus_id, sizeof info->bus_id);
  });
}

MEMVIZ_EXPORT int nvmlDeviceGetHandleByUUID(const char* text, Handle* device) {
  for (int number = 0; text && give_device(device, number) == 0; ++number)
    if (uuid_text(number) == text) return 0;
  return kNvmlNotFound;
}

MEMVIZ_EXPORT int nvmlDeviceGetIndex(Handle device, unsigned* number) {
  return with_device(device, [&](Machine&, int index) {
    *number = static_cast<unsigned>(index);
    return 0;
  });
}

MEMVIZ_EXPORT int nvmlDeviceGetName(Handle device, char* text, unsigned length) {
  return with_device(device,
                     [&](Machine& machine, int) { return give_text(machine.settings.profile.device, text, length); });
}

MEMVIZ_EXPORT int nvmlDeviceGetUUID(Handle device, char* text, unsigned length) {
  return with_device(device, [&](Machine&, int number) { return give_text(uuid_text(number), text, length); });
}

MEMVIZ_EXPORT int nvmlDeviceGetCudaComputeCapability(Handle device, int* major, int* minor) {
  return with_device(device, [&](Machine& machine, int) {
    *major = machine.settings.profile.capability_major;
    *minor = machine.settings.profile.capability_minor;
    return 0;
  });
}

MEMVIZ_EXPORT int nvmlDeviceGetMemoryInfo(Handle device, MemoryInfo* info) {
  return with_device(device, [&](Machine& machine, int number) {
    const std::uint64_t total_bytes = machine.settings.profile.total_bytes, taken = taken_bytes(machine, number);
    *info = {total_bytes, total_bytes - taken, taken};
    return 0;
  });
}

MEMVIZ_EXPORT int nvmlDeviceGetMemoryInfo_v2(Handle device, MemoryInfo2* info) {
  return with_device(device, [&](Machine& machine, int number) {
    const std::uint64_t total_bytes = machine.settings.profile.total_bytes, taken = taken_bytes(machine, number);
    *info = {info->version, total_bytes, 0, total_bytes - taken, taken};
    return 0;
  });
}

MEMVIZ_EXPORT int nvmlDeviceGetUtilizationRates(Handle device, Utilization* rates) {
  return with_device(device, [&](Machine&, int) {
    *rates = {0, 0};
    return 0;
  });
}

// No processes: what others have is known, but not who they are.
MEMVIZ_EXPORT int nvmlDeviceGetComputeRunningProcesses(Handle device, unsigned* count, void*) {
  return with_device(device, [&](Machine&, int) {
    *count = 0;
    return 0;
  });
}
MEMVIZ_EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(Handle device, unsigned* count, void* processes) {
  return nvmlDeviceGetComputeRunningProcesses(device, count, processes);
}
MEMVIZ_EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(Handle device, unsigned* count, void* processes) {
  return nvmlDeviceGetComputeRunningProcesses(device, count, processes);
}

// Unknown: which links connect which devices. Programs use another way then.
MEMVIZ_EXPORT int nvmlDeviceGetNvLinkState(Handle, unsigned, void*) {
  return kNotSupported;
}
MEMVIZ_EXPORT int nvmlDeviceGetNvLinkRemoteDeviceType(Handle, unsigned, void*) {
  return kNotSupported;
}
MEMVIZ_EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(Handle, unsigned, void*) {
  return kNotSupported;
}
MEMVIZ_EXPORT int nvmlDeviceGetNvLinkCapability(Handle, unsigned, int, void*) {
  return kNotSupported;
}
// PyTorch 2.13 queries this before it maps expandable segments, and accepts only success with a state.
MEMVIZ_EXPORT int nvmlDeviceGetGpuFabricInfoV(Handle, GpuFabricInfo* info) {
  if (!info) return kNvmlInvalidArgument;
  info->status = 0;
  info->clique = 0;
  info->state = 0; // NVML_GPU_FABRIC_STATE_NOT_SUPPORTED
  return 0;
}
MEMVIZ_EXPORT int nvmlDeviceGetP2PStatus(Handle device, Handle, int capability, int* status) {
  return with_device(device, [&](Machine& machine, int) {
    if (!status) return kNvmlInvalidArgument;
    *status = capability == kOverNvLink && machine.settings.profile.nvlink_links == 0 ? kP2pNotSupported : 0;
    return 0;
  });
}
