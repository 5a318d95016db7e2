#pragma once

// The modules of a model -> the rows of a table, in which numbered siblings of one class share a row,
// "transformer.h.*", with their sum, so that sums hold at every row.

#include "memviz/flops.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// Modules at the same place in the model.
struct ModuleRow {
  std::string path;        ///< with * instead of numbers that differ; "" for the whole
  std::string name;        ///< what the module around them calls them: "h.*"
  std::string type;        ///< its class, without its Python module
  bool is_torch = false;   ///< whether its class is PyTorch's own
  std::uint64_t count = 1; ///< the number of modules
  std::size_t level = 0;   ///< below the root
  std::size_t parent = 0;  ///< index of a row before this one; the root is its own parent
  std::uint64_t flops = 0;
  std::uint64_t own_flops = 0;
  std::uint64_t parameter_bytes = 0;
  std::uint64_t saved_bytes = 0;             ///< 0 if sizes have no value
  std::vector<OperatorFlops> operators = {}; ///< the parameters in them; one for each of their names
};

/// "Linear" of "torch.nn.modules.linear.Linear"
[[nodiscard]] std::string_view class_of(std::string_view type);

/// Returns rows, parents before their children, the root first. Omits modules without operations, parameters and kept
/// tensors.
[[nodiscard]] std::vector<ModuleRow> module_rows(const ModelFlops& model);

} // namespace memviz
