#include "program/formulas.hpp"
#include "program/saved_rules.hpp"

#include <vector>

namespace memviz::program {
namespace {

/// Whether the operand on the other side of a product has no batches: then the rows of all batches form one matrix.
bool other_is_matrix(const Node& node, const Graph& graph, std::string_view name) {
  if (operator_of(node.target) == "aten.linear") return true;
  const Argument* const other = name == "self" ? argument_of(node, "other", 1) : argument_of(node, "self", 0);
  return other != nullptr && !other->tensors.empty() && graph.tensors[other->tensors.front()].sizes.size() < 3;
}

struct Dimension {
  Polynomial size;
  Polynomial stride; ///< 0 if the same elements are repeated
};

/// The rows of the resulting matrix: all dimensions except the last; on the right side, except the second to last.
std::vector<Dimension> rows_of(const Tensor& tensor, bool is_right) {
  std::vector<Dimension> rows;
  for (std::size_t i = 0; i + 2 < tensor.sizes.size(); ++i)
    rows.push_back({tensor.sizes[i], tensor.strides[i]});
  const std::size_t last = tensor.sizes.size() - (is_right ? 1 : 2);
  rows.push_back({tensor.sizes[last], tensor.strides[last]});
  return rows;
}

/// The batches of the result, as stored in an operand that may have fewer of them.
std::vector<Dimension> batch_of(const Tensor& tensor, const std::vector<Polynomial>& result) {
  std::vector<Dimension> batch;
  for (std::size_t i = 0; i + 2 < result.size(); ++i) {
    const std::size_t from_end = result.size() - i;
    const std::size_t place = tensor.sizes.size() - from_end;
    const bool is_repeated = from_end > tensor.sizes.size() || tensor.sizes[place] != result[i];
    batch.push_back({result[i], is_repeated ? Polynomial() : tensor.strides[place]});
  }
  return batch;
}

/// Whether a view can make one dimension of them.
bool is_one(const std::vector<Dimension>& dimensions) {
  const Dimension* next = nullptr;
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const Dimension& dimension = dimensions[i];
    if (dimension.size == Polynomial(1)) continue;
    if (next != nullptr && dimension.stride != next->stride * next->size) return false;
    next = &dimension;
  }
  return true;
}

} // namespace

std::optional<Polynomial> copied_elements(const Node& node, const Graph& graph, std::string_view name, TensorId id) {
  const std::string_view target = operator_of(node.target);
  const Tensor& tensor = graph.tensors[id];
  const bool is_product = target == "aten.matmul" || (target == "aten.linear" && name == "input");
  if (!is_product || node.outputs.empty() || tensor.strides.size() < 3) return std::nullopt;
  const std::vector<Dimension> batch = other_is_matrix(node, graph, name)
                                           ? rows_of(tensor, name == "other")
                                           : batch_of(tensor, graph.tensors[node.outputs.front()].sizes);
  if (is_one(batch)) return std::nullopt;
  const std::size_t last = tensor.sizes.size() - 1;
  Polynomial elements = other_is_matrix(node, graph, name) ? tensor.sizes[name == "other" ? last - 1 : last]
                                                           : tensor.sizes[last] * tensor.sizes[last - 1];
  for (const Dimension& dimension : batch)
    elements *= dimension.size;
  return elements;
}

} // namespace memviz::program
