#include "program/tensor_reader.hpp"

#include "program/program_fields.hpp"
#include "program/size_expression.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace memviz::program {
namespace {

struct ElementType {
  std::uint8_t bytes = 0; ///< 0 if the type is unknown
  bool is_floating = false;
};

/// Indexed by the numbers of ScalarType in torch/_export/serde/schema.py, which are not those of torch's own
/// ScalarType.
ElementType element_type(std::int64_t number) {
  switch (number) {
  case 1:  // byte
  case 2:  // char
  case 12: // bool
    return {1, false};
  case 3:  // short
  case 28: // uint16
    return {2, false};
  case 4:  // int
  case 34: // uint32
    return {4, false};
  case 5:  // long
  case 35: // uint64
    return {8, false};
  case 6:  // half
  case 13: // bfloat16
    return {2, true};
  case 7: // float
  case 9: // complex half
    return {4, true};
  case 8:  // double
  case 10: // complex float
    return {8, true};
  case 11: // complex double
    return {16, true};
  case 29: // the types of 8 bits
  case 30:
  case 31:
  case 32:
  case 33: return {1, true};
  default: return {};
  }
}

/// More inputs than any PyTorch operator has; a tensor that many nodes use is processed for each of them.
constexpr std::size_t kMostDimensions = 64;

} // namespace

Polynomial TensorReader::read_size(const Field& size) {
  size.require(Kind::dict);
  if (const auto number = number_at(document_, size, "as_int")) return *number;
  if (is_present(document_.get(size.value, "as_int"))) size.fail("a size of less than 2^63", "more");
  const Field expression = need(document_, size, "as_expr", Kind::dict);
  Polynomial parsed = parse_size(need(document_, expression, "expr_str", Kind::text).text(document_), symbols_);
  const Value hint = document_.get(expression.value, "hint");
  if (hint.kind() == Kind::dict) {
    if (const auto value = document_.as_signed(document_.get(hint, "as_int"))) learn(parsed, *value);
  }
  return parsed;
}

void TensorReader::learn(const Polynomial& size, std::int64_t value) {
  if (size.terms().size() != 1) return;
  const Term& term = size.terms().front();
  if (term.factor != 1 || term.symbols.size() != 1) return;
  const Meaning meaning = symbols_.meaning(term.symbols.front());
  if (meaning == Meaning::name || meaning == Meaning::opaque) symbols_.set_value(term.symbols.front(), value);
}

Tensor TensorReader::read_tensor(const Field& meta, std::string_view name) {
  meta.require(Kind::dict);
  Tensor tensor;
  tensor.name = name;
  const ElementType type = element_type(number_at(document_, meta, "dtype").value_or(0));
  tensor.element_bytes = type.bytes;
  tensor.is_floating = type.is_floating;
  const Field sizes = need(document_, meta, "sizes", Kind::list);
  if (document_.list_size(sizes.value) > kMostDimensions) sizes.fail("at most 64 dimensions", "more");
  each(document_, sizes, [&](const Field& size) {
    Polynomial read = read_size(size);
    if (read.is_number() && read.number() < 0) size.fail("a size of 0 or more", std::to_string(read.number()));
    tensor.sizes.push_back(std::move(read));
  });
  tensor.strides = read_strides(meta, tensor.sizes.size());
  tensor.is_contiguous = is_contiguous(tensor);
  const Value device = document_.get(meta.value, "device");
  const Value where = device.kind() == Kind::dict ? document_.get(device, "type") : Value();
  tensor.is_cuda = where.kind() == Kind::text && document_.text(where) == "cuda";
  return tensor;
}

std::vector<Polynomial> TensorReader::read_strides(const Field& meta, std::size_t dimensions) {
  std::vector<Polynomial> strides;
  const Field given = meta.member("strides", document_.get(meta.value, "strides"));
  if (given.value.kind() != Kind::list || document_.list_size(given.value) != dimensions) return strides;
  each(document_, given, [&](const Field& stride) { strides.push_back(read_size(stride)); });
  return strides;
}

bool TensorReader::is_contiguous(const Tensor& tensor) {
  Polynomial expected = 1;
  for (std::size_t i = tensor.strides.size(); i-- > 0;) {
    if (tensor.sizes[i] == Polynomial(1)) continue; // the stride of a single element is meaningless
    if (tensor.strides[i] != expected) return false;
    expected *= tensor.sizes[i];
  }
  return true;
}

} // namespace memviz::program
