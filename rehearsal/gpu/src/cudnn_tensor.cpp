// cuDNN's descriptions of tensors, and the workspaces of its batch normalization, which depend on them.
#include "cudnn_tensor.hpp"

#include "machine.hpp"

#include <algorithm>

using namespace memviz::rehearsal;

namespace {

// The workspace of a batch normalization: sums of each channel over blocks of rows, and a counter.
struct BlockSums {
  std::uint64_t block_rows;  // a row has the channels of one position
  std::uint64_t block_words; // that a block writes for each group of channels
  std::uint64_t extra_bytes;
};

constexpr BlockSums kForward{160, 129, 16};
constexpr BlockSums kBackward{96, 128, 0};
constexpr std::uint64_t kGroupChannels = 64;
constexpr std::uint64_t kMultiprocessorBytes = 8;

std::uint64_t ceiling(std::uint64_t count, std::uint64_t unit) {
  return (count + unit - 1) / unit;
}

// Returns the bytes that an H100 was measured to request for images of 16 bits with the channels last (cuDNN 9.19).
// Images with the channels first need none.
std::uint64_t normalization_bytes(const TensorDescriptor& images, const BlockSums& sums) {
  const bool has_channels_last = images.dimensions.size() >= 4 && images.strides[1] == 1 && images.dimensions[1] > 1;
  if (!has_channels_last || !is_16_bit(images.type)) return 0;
  const auto channels = static_cast<std::uint64_t>(images.dimensions[1]);
  std::uint64_t rows = 1;
  for (std::size_t axis = 0; axis < images.dimensions.size(); ++axis)
    if (axis != 1) rows *= static_cast<std::uint64_t>(images.dimensions[axis]);
  const std::uint64_t words = sums.block_words * ceiling(rows, sums.block_rows) + 1;
  const auto multiprocessors = static_cast<std::uint64_t>(Locked()->settings.profile.multiprocessors);
  return kMultiprocessorBytes * multiprocessors + sums.extra_bytes + 4 * ceiling(channels, kGroupChannels) * words;
}

} // namespace

MEMVIZ_EXPORT int cudnnCreateTensorDescriptor(Handle* out) {
  *out = new TensorDescriptor;
  return 0;
}
MEMVIZ_EXPORT int cudnnDestroyTensorDescriptor(Handle descriptor) {
  delete static_cast<TensorDescriptor*>(descriptor);
  return 0;
}
MEMVIZ_EXPORT int cudnnSetTensorNdDescriptor(Handle descriptor, int type, int count, const int* dimensions,
                                             const int* strides) {
  auto* const tensor = static_cast<TensorDescriptor*>(descriptor);
  tensor->type = type;
  tensor->dimensions.assign(dimensions, dimensions + count);
  tensor->strides.assign(strides, strides + count);
  return 0;
}
MEMVIZ_EXPORT int cudnnGetTensorNdDescriptor(Handle descriptor, int requested, int* type, int* count, int* dimensions,
                                             int* strides) {
  const auto& tensor = *static_cast<TensorDescriptor*>(descriptor);
  const std::size_t given = std::min(static_cast<std::size_t>(std::max(requested, 0)), tensor.dimensions.size());
  if (type) *type = tensor.type;
  if (count) *count = static_cast<int>(tensor.dimensions.size());
  if (dimensions) std::copy_n(tensor.dimensions.begin(), given, dimensions);
  if (strides) std::copy_n(tensor.strides.begin(), given, strides);
  return 0;
}

MEMVIZ_EXPORT int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(Handle, int, int, Handle images, Handle,
                                                                           Handle, Handle, Handle, std::size_t* bytes) {
  *bytes = normalization_bytes(*static_cast<TensorDescriptor*>(images), kForward);
  return 0;
}

MEMVIZ_EXPORT int cudnnGetBatchNormalizationBackwardExWorkspaceSize(Handle, int, int, Handle images, Handle, Handle,
                                                                    Handle, Handle, Handle, Handle,
                                                                    std::size_t* bytes) {
  *bytes = normalization_bytes(*static_cast<TensorDescriptor*>(images), kBackward);
  return 0;
}

// An H100 requested none.
MEMVIZ_EXPORT int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(Handle, int, int, Handle, Handle,
                                                                       std::size_t* bytes) {
  *bytes = 0;
  return 0;
}
