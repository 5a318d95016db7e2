#include "memviz/accelerator.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz {
namespace {

/// Texts in the name or the file of a frame that only one kind of device has.
struct FrameSign {
  std::string_view text;
  Accelerator accelerator;
};
constexpr std::array kFrameSigns{
    FrameSign{"torch_npu", Accelerator::npu},   FrameSign{"c10_npu::", Accelerator::npu},
    FrameSign{"c10::xpu::", Accelerator::xpu},  FrameSign{"at::xpu::", Accelerator::xpu},
    FrameSign{"torch/xpu/", Accelerator::xpu},  FrameSign{"libtorch_hip", Accelerator::rocm},
    FrameSign{"libc10_hip", Accelerator::rocm}, FrameSign{"c10::hip::", Accelerator::rocm},
};

std::optional<Accelerator> accelerator_of_text(std::string_view text) {
  for (const FrameSign& sign : kFrameSigns)
    if (text.find(sign.text) != std::string_view::npos) return sign.accelerator;
  return std::nullopt;
}

/// Looks at each text once: many frames may have one long name.
Accelerator accelerator_of_frames(const FrameTable& frames) {
  std::vector<bool> seen;
  for (std::uint32_t i = 0; i < frames.frame_count(); ++i) {
    const Frame& frame = frames.frame(FrameId{i});
    for (const StringId text : {frame.name, frame.filename}) {
      if (text.value >= seen.size()) seen.resize(std::size_t{text.value} + 1);
      if (seen[text.value]) continue;
      seen[text.value] = true;
      if (const auto found = accelerator_of_text(frames.text(text))) return *found;
    }
  }
  return Accelerator::cuda;
}

/// CUDA's allocator writes a dozen settings.
bool has_settings_of_xpu(const Recording& recording) {
  constexpr std::array<std::string_view, 2> kNames{"PYTORCH_ALLOC_CONF", "expandable_segments"};
  return recording.settings.size() == kNames.size() && std::ranges::all_of(kNames, [&](std::string_view name) {
           return std::ranges::any_of(
               recording.settings, [&](const auto& setting) { return recording.frames.text(setting.first) == name; });
         });
}

} // namespace

Accelerator accelerator_of(const Recording& recording) {
  if (recording.origin.is_cpu || recording.origin.rehearsal) return Accelerator::cuda;
  if (has_settings_of_xpu(recording) && recording.annotations.empty()) return Accelerator::xpu;
  return accelerator_of_frames(recording.frames);
}

bool has_cuda_allocator(Accelerator accelerator) {
  return accelerator == Accelerator::cuda || accelerator == Accelerator::rocm;
}

AcceleratorWords words_of(Accelerator accelerator) {
  switch (accelerator) {
  case Accelerator::cuda: break;
  case Accelerator::rocm: return {"the HIP context", "rocm-smi"};
  case Accelerator::xpu: return {"the driver's context", "xpu-smi"};
  case Accelerator::npu: return {"the device context", "npu-smi"};
  }
  return {"the CUDA context", "nvidia-smi"};
}

std::string accelerator_note(Accelerator accelerator) {
  switch (accelerator) {
  case Accelerator::cuda: break;
  case Accelerator::rocm: return "recorded on AMD GPUs (ROCm), whose allocator and settings are those of CUDA";
  case Accelerator::xpu:
    return "recorded by torch.xpu on Intel GPUs: the file has no annotations, and of the allocator's settings "
           "PYTORCH_ALLOC_CONF and expandable_segments alone; what CUDA's settings would change is not looked at";
  case Accelerator::npu:
    return "recorded by torch_npu on Ascend NPUs, which are called GPU here: the file has no allocator settings and no "
           "annotations; what CUDA's settings would change is not looked at";
  }
  return "";
}

} // namespace memviz
