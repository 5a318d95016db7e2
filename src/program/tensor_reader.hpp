#pragma once

// The JSON of a tensor or of a size in an exported program -> Tensor, Polynomial.

#include "program/program.hpp"
#include "value/document.hpp"
#include "value/field.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memviz::program {

/// All functions throw Error: not in PyTorch's form (SchemaError), or not a size.
class TensorReader {
public:
  /// Both must outlive this object; `symbols` receives the symbols of sizes, and their values from hints.
  TensorReader(const Document& document, Symbols& symbols) : document_(document), symbols_(symbols) {}

  /// {"as_int": 20} or {"as_expr": {"expr_str": "s0", "hint": {"as_int": 4}}}.
  Polynomial read_size(const Field& size);
  Tensor read_tensor(const Field& meta, std::string_view name);

private:
  /// The hint of a size that is one symbol is the symbol's value.
  void learn(const Polynomial& size, std::int64_t value);
  std::vector<Polynomial> read_strides(const Field& meta, std::size_t dimensions);
  /// Whether it is contiguous by its strides; a tensor without strides is assumed to be.
  [[nodiscard]] static bool is_contiguous(const Tensor& tensor);

  const Document& document_;
  Symbols& symbols_;
};

} // namespace memviz::program
