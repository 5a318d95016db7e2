// CUDA runtime: devices, versions, errors, limits.
#include "device_facts.hpp"
#include "machine.hpp"
#include "versioned.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

using namespace memviz::rehearsal;

namespace {

constexpr int kRuntimeVersion12 = 12090;
constexpr int kRuntimeVersion13 = 13000;
constexpr int kGreatestPriority = -5; // the priorities of streams on GPUs since Volta: 0 to -5

int number_of(const Machine& machine, int device) {
  return machine.settings.devices[static_cast<std::size_t>(device)];
}

template <typename Properties, typename Make> int get_properties(Properties* out, int device, Make make) {
  return runtime_call([&](Machine& machine) {
    if (!out || !machine.memory.is_device(device)) return Error::invalid_device;
    *out = make(machine.settings.profile, number_of(machine, device));
    return Error::success;
  });
}

} // namespace

MEMVIZ_EXPORT int cudaGetDeviceCount(int* count) {
  if (count) *count = 0;
  return runtime_call([&](Machine& machine) {
    if (!count) return Error::invalid_value;
    *count = static_cast<int>(machine.settings.devices.size());
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaGetDevice(int* device) {
  return runtime_call([&](Machine&) {
    if (!device) return Error::invalid_value;
    *device = current_device();
    return Error::success;
  });
}

// Since CUDA 12 this creates the device's context, which takes its memory.
MEMVIZ_EXPORT int cudaSetDevice(int device) {
  return runtime_call([&](Machine& machine) {
    if (!machine.memory.is_device(device)) return Error::invalid_device;
    current_device() = device;
    touch(machine, device);
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaGetDeviceProperties_v2(DeviceProperties12* properties, int device) {
  return get_properties(properties, device, device_properties12);
}

MEMVIZ_CUDART_13(cudaGetDeviceProperties);
MEMVIZ_EXPORT int memviz_13_cudaGetDeviceProperties(DeviceProperties13* properties, int device) {
  return get_properties(properties, device, device_properties13);
}

MEMVIZ_EXPORT int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return runtime_call([&](Machine& machine) {
    if (!machine.memory.is_device(device)) return Error::invalid_device;
    const long long fact = device_attribute(machine.settings.profile, number_of(machine, device), attribute);
    if (!value || fact < 0) return Error::invalid_value;
    *value = static_cast<int>(fact);
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return runtime_call([&](Machine& machine) {
    if (!text || length < 13 || !machine.memory.is_device(device)) return Error::invalid_value;
    std::snprintf(text, static_cast<std::size_t>(length), "%s", pci_bus_id(number_of(machine, device)).c_str());
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return runtime_call([&](Machine& machine) {
    if (!device || !text) return Error::invalid_value;
    for (int index = 0; machine.memory.is_device(index); ++index)
      if (pci_bus_id(number_of(machine, index)) == text) {
        *device = index;
        return Error::success;
      }
    return Error::invalid_device;
  });
}

MEMVIZ_EXPORT int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return runtime_call([&](Machine&) {
    if (least) *least = 0;
    if (greatest) *greatest = kGreatestPriority;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaDeviceSynchronize() {
  return runtime_call([&](Machine& machine) {
    touch(machine, current_device());
    const Error error = machine.streams.synchronize_device(current_device());
    if (error == Error::success) machine.pools.synchronized(current_device());
    return error;
  });
}

MEMVIZ_EXPORT int cudaDriverGetVersion(int* version) {
  if (!version) return static_cast<int>(Error::invalid_value);
  *version = kDriverVersion;
  return 0;
}

MEMVIZ_CUDART_12(cudaRuntimeGetVersion);
MEMVIZ_EXPORT int memviz_12_cudaRuntimeGetVersion(int* version) {
  if (!version) return static_cast<int>(Error::invalid_value);
  *version = kRuntimeVersion12;
  return 0;
}

MEMVIZ_CUDART_13(cudaRuntimeGetVersion);
MEMVIZ_EXPORT int memviz_13_cudaRuntimeGetVersion(int* version) {
  if (!version) return static_cast<int>(Error::invalid_value);
  *version = kRuntimeVersion13;
  return 0;
}

MEMVIZ_EXPORT int cudaGetLastError() {
  return static_cast<int>(std::exchange(last_error(), Error::success));
}

MEMVIZ_EXPORT int cudaPeekAtLastError() {
  return static_cast<int>(last_error());
}
