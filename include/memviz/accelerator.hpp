#pragma once

// A recording -> the kind of device whose allocator wrote it. Others than CUDA's write snapshots of the same shape, and
// no key says which it was.

#include "memviz/recording.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

enum class Accelerator : std::uint8_t {
  cuda, ///< and everything that no sign distinguishes from it
  rocm, ///< torch.cuda on AMD GPUs: CUDA's allocator and its settings
  xpu,  ///< torch.xpu on Intel GPUs, since 2026
  npu,  ///< torch_npu on Ascend
};

/// Returns the kind that the allocator's settings or the frames of stacks show: torch.xpu writes two settings and no
/// annotations (torch/csrc/xpu/Module.cpp of 2026), torch_npu none of either (its memory_snapshot.cpp).
[[nodiscard]] Accelerator accelerator_of(const Recording& recording);

/// Whether CUDA's allocator and its settings are what manages the memory of the recording.
[[nodiscard]] bool has_cuda_allocator(Accelerator accelerator);

/// The words for a kind of device.
struct AcceleratorWords {
  std::string_view context; ///< what a process takes of the device before it allocates, with its article
  std::string_view monitor; ///< the program that shows the processes on a device
};
[[nodiscard]] AcceleratorWords words_of(Accelerator accelerator);

/// A sentence, without its full stop, on devices that are not NVIDIA GPUs: what they are, and which keys their
/// snapshots lack; "" for the others.
[[nodiscard]] std::string accelerator_note(Accelerator accelerator);

} // namespace memviz
