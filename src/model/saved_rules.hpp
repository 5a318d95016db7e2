#pragma once

// An operator -> what autograd keeps of its tensors for backward, as a table.

#include "model/polynomial.hpp"
#include "model/program.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace memviz::model {

/// Which of a node's tensors are kept.
enum class Keep : std::uint8_t {
  nothing,
  operand, ///< the argument `name`
  factor,  ///< the argument `name`, where `other` needs a gradient
  result,  ///< the result number `place`
};

struct KeepRule {
  std::string_view target; ///< without overload, and without the underscore of an in-place operator: "aten.relu"
  Keep keep = Keep::nothing;
  std::string_view name = {};
  std::string_view other = {};
  std::size_t place = 0; ///< of `name` among the arguments, or of the result
};

/// Those of an operator; nothing where it is not known.
[[nodiscard]] std::optional<std::span<const KeepRule>> keep_rules(std::string_view target);

/// Whether its result is a view of its first tensor.
[[nodiscard]] bool is_view(const Node& node, const Graph& graph);

/// Bytes that it keeps beside its own tensors: the statistics of a normalisation, the mask of a dropout.
[[nodiscard]] Polynomial extra_kept_bytes(const Node& node, const Graph& graph);

} // namespace memviz::model
