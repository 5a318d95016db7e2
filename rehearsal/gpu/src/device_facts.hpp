// A profile's GPU -> its answers to a program: attributes, cudaDeviceProp, identity.
#pragma once

#include "device_properties.hpp"
#include "profile.hpp"

namespace memviz::rehearsal {

inline constexpr int kWarpThreads = 32;
inline constexpr int kRegistersPerMultiprocessor = 65536;
inline constexpr int kSharedBytesPerBlock = 48 << 10;     // without opting in
inline constexpr int kReservedSharedBytesPerBlock = 1024; // of the system, from compute capability 8.0 on
inline constexpr int kDriverVersion = 13000;              // the newest that is made up; drivers also run older programs

// CUdevice_attribute and cudaDeviceAttr have the same numbers. Returns 0 for features that the device does not have; -1
// for an unknown number.
[[nodiscard]] long long device_attribute(const Profile& profile, int device, int attribute);

[[nodiscard]] Uuid device_uuid(int device);
[[nodiscard]] std::string pci_bus_id(int device);

[[nodiscard]] DeviceProperties12 device_properties12(const Profile& profile, int device);
[[nodiscard]] DeviceProperties13 device_properties13(const Profile& profile, int device);

// Returns how many blocks of a kernel fit on a multiprocessor by threads and shared memory; the limit by registers is
// unknown.
[[nodiscard]] int blocks_per_multiprocessor(const Profile& profile, int block_threads, std::size_t shared_bytes);

// Returns the compute capability whose code a program runs: NVIDIA's compilers build code for the first capabilities of
// a generation (80, 86, 90, 100, 120), which runs on the later ones of the same major version.
[[nodiscard]] int code_version(const Profile& profile);

} // namespace memviz::rehearsal
