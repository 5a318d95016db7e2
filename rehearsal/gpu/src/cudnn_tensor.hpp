// The form of a tensor, as programs give it to cuDNN.
#pragma once

#include <vector>

namespace memviz::rehearsal {

// cudnnDataType_t
inline constexpr int kCudnnFloat = 0;
inline constexpr int kCudnnHalf = 2;
inline constexpr int kCudnnBfloat16 = 9;

[[nodiscard]] constexpr bool is_16_bit(int type) {
  return type == kCudnnHalf || type == kCudnnBfloat16;
}

struct TensorDescriptor {
  int type = kCudnnFloat;
  std::vector<int> dimensions, strides;
};

} // namespace memviz::rehearsal
