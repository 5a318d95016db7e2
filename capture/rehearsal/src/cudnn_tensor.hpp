// The form of a tensor, as programs give it to cuDNN.
#pragma once

#include <vector>

namespace memviz::rehearsal {

struct TensorDescriptor {
  int type = 0; // cudnnDataType_t
  std::vector<int> dimensions, strides;
};

} // namespace memviz::rehearsal
