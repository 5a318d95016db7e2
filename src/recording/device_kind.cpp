#include "memviz/device_kind.hpp"

#include "memviz/recording.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz {
namespace {

/// Texts in the name or the file of a frame that occur only for one kind of device.
struct FrameSign {
  std::string_view text;
  DeviceKind kind;
};
constexpr std::array kFrameSigns{
    FrameSign{"torch_npu", DeviceKind::npu},   FrameSign{"c10_npu::", DeviceKind::npu},
    FrameSign{"c10::xpu::", DeviceKind::xpu},  FrameSign{"at::xpu::", DeviceKind::xpu},
    FrameSign{"torch/xpu/", DeviceKind::xpu},  FrameSign{"libtorch_hip", DeviceKind::rocm},
    FrameSign{"libc10_hip", DeviceKind::rocm}, FrameSign{"c10::hip::", DeviceKind::rocm},
};

std::optional<DeviceKind> kind_of_text(std::string_view text) {
  for (const FrameSign& sign : kFrameSigns)
    if (text.find(sign.text) != std::string_view::npos) return sign.kind;
  return std::nullopt;
}

/// Examines each text once, because many frames may have one long name.
DeviceKind kind_of_frames(const FrameTable& frames) {
  std::vector<bool> seen;
  for (std::uint32_t i = 0; i < frames.frame_count(); ++i) {
    const Frame& frame = frames.frame(FrameId{i});
    for (const StringId text : {frame.name, frame.filename}) {
      if (text.value >= seen.size()) seen.resize(std::size_t{text.value} + 1);
      if (seen[text.value]) continue;
      seen[text.value] = true;
      if (const auto found = kind_of_text(frames.text(text))) return *found;
    }
  }
  return DeviceKind::cuda;
}

/// CUDA's allocator writes a dozen settings.
bool has_settings_of_xpu(const Recording& recording) {
  constexpr std::array<std::string_view, 2> kNames{"PYTORCH_ALLOC_CONF", "expandable_segments"};
  return recording.settings.size() == kNames.size() && std::ranges::all_of(kNames, [&](std::string_view name) {
           return std::ranges::any_of(
               recording.settings, [&](const auto& setting) { return recording.frames.text(setting.first) == name; });
         });
}

constexpr std::array kWords{
    DeviceKindWords{"cuda", "GPU", "the CUDA context", "nvidia-smi"},
    DeviceKindWords{"rocm", "GPU", "the HIP context", "rocm-smi"},
    DeviceKindWords{"xpu", "XPU", "the driver's context", "xpu-smi"},
    DeviceKindWords{"npu", "NPU", "the device context", "npu-smi"},
    DeviceKindWords{"cpu", "CPU", "the program", "top"},
};

} // namespace

DeviceKind device_kind_of(const Recording& recording) {
  if (recording.origin.device_kind == DeviceKind::cpu) return DeviceKind::cpu;
  if (recording.origin.rehearsal) return DeviceKind::cuda;
  if (has_settings_of_xpu(recording) && recording.annotations.empty()) return DeviceKind::xpu;
  return kind_of_frames(recording.frames);
}

bool has_cuda_allocator(DeviceKind kind) {
  return kind == DeviceKind::cuda || kind == DeviceKind::rocm;
}

const DeviceKindWords& words_of(DeviceKind kind) {
  return kWords[static_cast<std::size_t>(kind)];
}

std::optional<DeviceKind> device_kind_with(std::string_view key) {
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (kWords[i].key == key) return static_cast<DeviceKind>(i);
  return std::nullopt;
}

std::string_view device_kind_note(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::cuda:
  case DeviceKind::cpu: break;
  case DeviceKind::rocm: return "recorded on AMD GPUs (ROCm), whose allocator and settings are those of CUDA";
  case DeviceKind::xpu:
    return "recorded by torch.xpu on Intel GPUs: the file has no annotations, and only the allocator settings "
           "PYTORCH_ALLOC_CONF and expandable_segments; the effect of CUDA's settings is not examined";
  case DeviceKind::npu:
    return "recorded by torch_npu on Ascend NPUs: the file has no allocator settings and no annotations; the effect of "
           "CUDA's settings is not examined";
  }
  return "";
}

} // namespace memviz
