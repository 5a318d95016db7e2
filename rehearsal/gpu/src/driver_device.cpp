// CUDA driver: initialisation, devices and contexts. Each device has only its primary context: cuCtxCreate is not made
// up. A thread's current context is that of its current device.
#include "device_facts.hpp"
#include "runtime.hpp"

#include <cstdio>
#include <vector>

using namespace memviz::rehearsal;

namespace {

// Returns a context's handle: the device's number in a recognisable form, never a pointer that could be dereferenced.
constexpr std::uintptr_t kFirstContext = 0x6d656d7600000001; // "memv"
thread_local bool has_current = false;
thread_local std::vector<int> pushed_contexts; // contexts below the current one; -1 for none

Handle context_of(int device) {
  return reinterpret_cast<Handle>(kFirstContext + static_cast<std::uintptr_t>(device));
}

int device_of(Handle context) {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(context) - kFirstContext;
  return offset < 1024 ? static_cast<int>(offset) : -1;
}

// The runtime makes the primary context of the current device current when it is first used.
bool is_current(Machine& machine) {
  return has_current || machine.memory.devices()[static_cast<std::size_t>(current_device())].has_context;
}

Error make_current(Machine& machine, Handle context) {
  if (!context) {
    has_current = false;
    return Error::success;
  }
  const int device = device_of(context);
  if (!machine.memory.is_device(device)) return Error::invalid_context;
  current_device() = device;
  has_current = true;
  touch(machine, device);
  return Error::success;
}

template <typename Call> int device_call(int device, Call call) {
  return driver_call([&](Machine& machine) {
    if (!machine.memory.is_device(device)) return Error::invalid_device;
    return call(machine, machine.settings.devices[static_cast<std::size_t>(device)]);
  });
}

} // namespace

MEMVIZ_EXPORT int cuInit(unsigned) {
  return driver_call([](Machine&) { return Error::success; });
}

MEMVIZ_EXPORT int cuDriverGetVersion(int* version) {
  if (!version) return static_cast<int>(Error::invalid_value);
  *version = kDriverVersion;
  return 0;
}

MEMVIZ_EXPORT int cuDeviceGetCount(int* count) {
  return driver_call([&](Machine& machine) {
    *count = static_cast<int>(machine.settings.devices.size());
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuDeviceGet(int* device, int ordinal) {
  return device_call(ordinal, [&](Machine&, int) {
    *device = ordinal;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuDeviceGetName(char* name, int length, int device) {
  return device_call(device, [&](Machine& machine, int) {
    if (!name || length <= 0) return Error::invalid_value;
    std::snprintf(name, static_cast<std::size_t>(length), "%s", machine.settings.profile.device.c_str());
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return device_call(device, [&](Machine& machine, int number) {
    const long long fact = device_attribute(machine.settings.profile, number, attribute);
    if (!value || fact < 0) return Error::invalid_value;
    *value = static_cast<int>(fact);
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuDeviceComputeCapability(int* major, int* minor, int device) {
  return device_call(device, [&](Machine& machine, int) {
    *major = machine.settings.profile.capability_major;
    *minor = machine.settings.profile.capability_minor;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return device_call(device, [&](Machine& machine, int) {
    *bytes = machine.settings.profile.total_bytes;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuDeviceGetUuid(Uuid* uuid, int device) {
  return device_call(device, [&](Machine&, int number) {
    *uuid = device_uuid(number);
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuDeviceGetUuid_v2(Uuid* uuid, int device) {
  return cuDeviceGetUuid(uuid, device);
}

MEMVIZ_EXPORT int cuDevicePrimaryCtxRetain(Handle* context, int device) {
  return device_call(device, [&](Machine& machine, int) {
    touch(machine, device);
    *context = context_of(device);
    return Error::success;
  });
}

// The runtime holds the primary context until the process ends, so a release has no effect before.
MEMVIZ_EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  return device_call(device, [](Machine&, int) { return Error::success; });
}

MEMVIZ_EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* is_active) {
  return device_call(device, [&](Machine& machine, int) {
    if (flags) *flags = 0;
    if (is_active) *is_active = machine.memory.devices()[static_cast<std::size_t>(device)].has_context;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned) {
  return device_call(device, [](Machine&, int) { return Error::success; });
}

MEMVIZ_EXPORT int cuCtxGetCurrent(Handle* context) {
  return driver_call([&](Machine& machine) {
    if (!context) return Error::invalid_value;
    *context = is_current(machine) ? context_of(current_device()) : nullptr;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuCtxSetCurrent(Handle context) {
  return driver_call([&](Machine& machine) { return make_current(machine, context); });
}

MEMVIZ_EXPORT int cuCtxPushCurrent_v2(Handle context) {
  return driver_call([&](Machine& machine) {
    const int below = is_current(machine) ? current_device() : -1;
    const Error error = make_current(machine, context);
    if (error == Error::success) pushed_contexts.push_back(below);
    return error;
  });
}

MEMVIZ_EXPORT int cuCtxPopCurrent_v2(Handle* context) {
  return driver_call([&](Machine& machine) {
    if (pushed_contexts.empty() || !is_current(machine)) return Error::invalid_context;
    if (context) *context = context_of(current_device());
    const int below = pushed_contexts.back();
    pushed_contexts.pop_back();
    return make_current(machine, below < 0 ? nullptr : context_of(below));
  });
}

MEMVIZ_EXPORT int cuCtxGetDevice(int* device) {
  return driver_call([&](Machine& machine) {
    if (!is_current(machine)) return Error::invalid_context;
    *device = current_device();
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuCtxSynchronize() {
  return quietly([] { return cudaDeviceSynchronize(); });
}

MEMVIZ_EXPORT int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return quietly([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

MEMVIZ_EXPORT int cuCtxEnablePeerAccess(Handle peer, unsigned flags) {
  return driver_call([&](Machine& machine) {
    const int device = device_of(peer);
    if (flags != 0 || !machine.memory.is_device(device)) return Error::invalid_context;
    const bool is_new = machine.peers.insert({current_device(), device}).second;
    return is_new ? Error::success : Error::peer_access_already_enabled;
  });
}

MEMVIZ_EXPORT int cuDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return quietly([&] { return cudaDeviceCanAccessPeer(can_access, device, peer); });
}

MEMVIZ_EXPORT int cuDeviceGetPCIBusId(char* text, int length, int device) {
  return quietly([&] { return cudaDeviceGetPCIBusId(text, length, device); });
}

MEMVIZ_EXPORT int cuDeviceGetByPCIBusId(int* device, const char* text) {
  return quietly([&] { return cudaDeviceGetByPCIBusId(device, text); });
}
