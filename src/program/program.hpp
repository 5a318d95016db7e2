#pragma once

// An exported program as memviz needs it: graphs of nodes, the sizes of every tensor, the place of each node in the
// model, and which inputs are parameters. Tensors have no elements. Source: torch/_export/serde/schema.py, schema
// versions 5 to 8 (PyTorch 2.3 to 2.15).

#include "program/polynomial.hpp"
#include "program/symbols.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memviz::program {

/// Index into Graph::tensors.
using TensorId = std::uint32_t;
/// Index into Program::graphs.
using GraphId = std::uint32_t;
/// Index into Program::modules.
using ModuleId = std::uint32_t;
inline constexpr ModuleId kWholeModel = 0;

struct Tensor {
  std::string name; ///< unique in its graph
  std::vector<Polynomial> sizes;
  std::uint8_t element_bytes = 0;  ///< 0: an unknown type
  bool is_floating = false;        ///< a floating or complex type, which gradients can flow through
  bool is_contiguous = true;       ///< in C's order, without gaps
  std::vector<Polynomial> strides; ///< in elements, one for each size; empty if the program has none
  bool is_cuda = false;            ///< on a GPU
};

/// A value that a node takes. If it is not a tensor, only what counting needs is kept.
struct Argument {
  enum class Kind : std::uint8_t { none, tensors, numbers, boolean, real, text, graph, other };

  std::string name; ///< as in the operator's schema; "" in higher-order operators
  Kind kind = Kind::other;
  bool is_list = false;
  std::vector<TensorId> tensors;   ///< without the None of a list of optional tensors
  std::vector<Polynomial> numbers; ///< integers, symbolic ones included; for a list of booleans 0 and 1
  bool boolean = false;
  double real = 0; ///< of a floating point number
  std::string text = {};
  GraphId graph = 0;
};

struct Node {
  std::string target; ///< "aten.mm.default", "higher_order.cond", "_operator.mul"
  std::vector<Argument> arguments;
  std::vector<TensorId> outputs; ///< in order, flat
  ModuleId module = kWholeModel;
};

struct Graph {
  std::vector<Tensor> tensors;
  std::vector<TensorId> inputs; ///< tensors only
  std::vector<TensorId> outputs;
  std::vector<Node> nodes;
};

/// A module on the way to a node. Modules that are called several times occur once.
struct Module {
  std::string path; ///< "transformer.h.0.attn"; "" for the whole model
  std::string type; ///< "torch.nn.modules.linear.Linear"; "" where no node says it
  ModuleId parent = kWholeModel;
};

/// A parameter or a buffer, as an input of the main graph.
struct Weight {
  std::string name; ///< "transformer.h.0.attn.c_attn.weight"
  TensorId tensor = 0;
  bool is_parameter = true;
  /// The same for names that share storage; nullopt if the archive does not show it.
  std::optional<std::string> storage = {};
};

/// The range of a size.
struct SizeRange {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

struct Program {
  std::vector<Graph> graphs;   ///< the first is the whole
  std::vector<Module> modules; ///< parents before their children
  std::vector<Weight> weights;
  Symbols symbols;
  std::map<std::string, SizeRange> ranges; ///< by the name of the symbol
  std::string torch_version;
  std::string schema_version; ///< "8.20"
};

/// Returns a parameter of a node by its name, else by its place; null if the node does not have it.
[[nodiscard]] const Argument* argument_of(const Node& node, std::string_view name, std::size_t place);

} // namespace memviz::program
