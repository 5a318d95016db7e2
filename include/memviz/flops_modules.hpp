#pragma once

// The modules of a model -> the rows of a table, where numbered siblings of one class are one row, "transformer.h.*",
// with the sum of all, so that the sums hold at every row.

#include "memviz/flops.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// Some modules of the same place in the model.
struct ModuleRow {
  std::string path;        ///< with * instead of numbers that differ; "" for the whole
  std::string name;        ///< what the module around them calls them: "h.*"
  std::string type;        ///< its class, without the Python module that it is in
  bool is_torch = false;   ///< its class is PyTorch's own
  std::uint64_t count = 1; ///< how many modules
  std::size_t level = 0;   ///< below the whole
  std::size_t parent = 0;  ///< index of a row before this one; the whole is its own
  std::uint64_t flops = 0;
  std::uint64_t own_flops = 0;
  std::uint64_t parameter_bytes = 0;
  std::uint64_t saved_bytes = 0;             ///< 0 where sizes have no value
  std::vector<OperatorFlops> operators = {}; ///< that are in them; one for each of their names
};

/// "Linear" of "torch.nn.modules.linear.Linear"
[[nodiscard]] std::string_view class_of(std::string_view type);

/// Parents before their children, the whole first. Modules without operations, parameters and kept tensors are left
/// out.
[[nodiscard]] std::vector<ModuleRow> module_rows(const ModelFlops& model);

} // namespace memviz
