#pragma once

// A recording -> the kind of device whose memory it shows. Allocators other than CUDA's write snapshots of the same
// shape, and no key names the kind.

#include <cstdint>
#include <optional>
#include <string_view>

namespace memviz {

struct Recording;

enum class DeviceKind : std::uint8_t {
  cuda, ///< also everything that cannot be distinguished from it
  rocm, ///< torch.cuda on AMD GPUs, with CUDA's allocator and its settings
  xpu,  ///< torch.xpu on Intel GPUs, since 2026
  npu,  ///< torch_npu on Ascend
  cpu,  ///< main memory: pinned, or recorded by memviz's capture module
};

/// Returns the kind shown by the recording's origin, the allocator's settings or the frames of stacks: torch.xpu writes
/// two settings and no annotations (torch/csrc/xpu/Module.cpp of 2026), torch_npu neither (its memory_snapshot.cpp).
[[nodiscard]] DeviceKind device_kind_of(const Recording& recording);

/// Whether CUDA's allocator and its settings manage the memory of such a device.
[[nodiscard]] bool has_cuda_allocator(DeviceKind kind);

/// The words for a kind of device.
struct DeviceKindWords {
  std::string_view key;     ///< in JSON: "cuda", "rocm", ...
  std::string_view noun;    ///< "GPU", "XPU", "NPU", "CPU"
  std::string_view context; ///< the memory that a process takes before it allocates, with its article
  std::string_view monitor; ///< the program that lists the processes on a device
};
[[nodiscard]] const DeviceKindWords& words_of(DeviceKind kind);
/// Returns the kind with that key; nullopt if there is none.
[[nodiscard]] std::optional<DeviceKind> device_kind_with(std::string_view key);

/// Returns a sentence, without its full stop, about devices that are not NVIDIA GPUs: what they are, and which keys
/// their snapshots lack; "" for NVIDIA GPUs.
[[nodiscard]] std::string_view device_kind_note(DeviceKind kind);

} // namespace memviz
