#include "program/formulas.hpp"

#include "program/einsum.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace memviz::program {
namespace {

using Sizes = std::vector<Polynomial>;

/// The sizes of a node's inputs and outputs; each throws Error if they are missing.
class Shapes {
public:
  Shapes(const Node& node, const Graph& graph) : node_(node), graph_(graph) {}

  [[nodiscard]] const Sizes& of(std::string_view name, std::size_t place) const {
    return list_of(name, place).front().get();
  }
  [[nodiscard]] std::vector<std::reference_wrapper<const Sizes>> list_of(std::string_view name,
                                                                         std::size_t place) const {
    const Argument* const argument = argument_of(node_, name, place);
    if (argument == nullptr || argument->tensors.empty()) misfit(fmt::format("no tensor '{}'", name));
    std::vector<std::reference_wrapper<const Sizes>> sizes;
    for (const TensorId tensor : argument->tensors)
      sizes.emplace_back(graph_.tensors[tensor].sizes);
    return sizes;
  }
  [[nodiscard]] bool has(std::string_view name, std::size_t place) const {
    const Argument* const argument = argument_of(node_, name, place);
    return argument != nullptr && !argument->tensors.empty();
  }
  [[nodiscard]] const Argument* argument(std::string_view name, std::size_t place) const {
    return argument_of(node_, name, place);
  }
  [[nodiscard]] const Sizes& result(std::size_t place = 0) const {
    if (place >= node_.outputs.size()) misfit("no result");
    return graph_.tensors[node_.outputs[place]].sizes;
  }
  /// Returns a size of `sizes`, from the end if `place` is negative.
  [[nodiscard]] const Polynomial& at(const Sizes& sizes, std::ptrdiff_t place) const {
    const std::ptrdiff_t index = place < 0 ? static_cast<std::ptrdiff_t>(sizes.size()) + place : place;
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(sizes.size())) misfit("too few dimensions");
    return sizes[static_cast<std::size_t>(index)];
  }
  [[noreturn]] void misfit(std::string_view what) const {
    throw Error(fmt::format("the program calls {} with {}", node_.target, what));
  }

private:
  const Node& node_;
  const Graph& graph_;
};

using Formula = Polynomial (*)(const Shapes& shapes);

/// Returns the multiplications of a chain of matrices of sizes[0] x sizes[1], sizes[1] x sizes[2], ... in the cheapest
/// order; from left to right if a size is a symbol, because the order depends on its value.
Polynomial cheapest_chain(const std::vector<Polynomial>& sizes) {
  const std::size_t count = sizes.size() - 1;
  if (!std::ranges::all_of(sizes, [](const Polynomial& size) { return size.is_number(); })) {
    Polynomial sum;
    for (std::size_t i = 2; i <= count; ++i)
      sum += sizes[0] * sizes[i - 1] * sizes[i];
    return sum;
  }
  // best[n][first]: the cost of the n matrices from `first` on.
  std::vector<std::vector<Polynomial>> best(count + 1, std::vector<Polynomial>(count));
  for (std::size_t length = 2; length <= count; ++length) {
    for (std::size_t first = 0; first + length <= count; ++first) {
      std::optional<Polynomial> least;
      for (std::size_t left = 1; left < length; ++left) {
        Polynomial cost = sizes[first] * sizes[first + left] * sizes[first + length];
        cost += best[left][first];
        cost += best[length - left][first + left];
        if (!least || cost.number() < least->number()) least = std::move(cost);
      }
      best[length][first] = *std::move(least);
    }
  }
  return best[count].front();
}

Polynomial twice(Polynomial product) {
  return product *= Polynomial(2);
}

/// Returns the cost of a result whose every element is a sum of `inner` products.
Polynomial dot_products(const Sizes& result, const Polynomial& inner) {
  return twice(product_of(result) * inner);
}

Polynomial mm(const Shapes& shapes) {
  return dot_products(shapes.result(), shapes.at(shapes.of("self", 0), -1));
}
Polynomial addmm(const Shapes& shapes) {
  return dot_products(shapes.result(), shapes.at(shapes.of("mat1", 1), -1));
}
Polynomial addmv(const Shapes& shapes) {
  return dot_products(shapes.result(), shapes.at(shapes.of("mat", 1), -1));
}
Polynomial baddbmm(const Shapes& shapes) {
  return dot_products(shapes.result(), shapes.at(shapes.of("batch1", 1), -1));
}
/// Also sums over the batch.
Polynomial addbmm(const Shapes& shapes) {
  const Sizes& left = shapes.of("batch1", 1);
  return dot_products(shapes.result(), shapes.at(left, 0) * shapes.at(left, -1));
}
Polynomial linear(const Shapes& shapes) {
  return dot_products(shapes.result(), shapes.at(shapes.of("input", 0), -1));
}
Polynomial tensordot(const Shapes& shapes) {
  const Argument* const contracted = shapes.argument("dims_self", 2);
  const Sizes& left = shapes.of("self", 0);
  Polynomial inner = 1;
  if (contracted != nullptr) {
    for (const Polynomial& place : contracted->numbers)
      inner *= shapes.at(left, static_cast<std::ptrdiff_t>(place.number()));
  }
  return dot_products(shapes.result(), inner);
}
Polynomial einsum(const Shapes& shapes) {
  const Argument* const equation = shapes.argument("equation", 0);
  if (equation == nullptr || equation->kind != Argument::Kind::text) shapes.misfit("no equation");
  const Argument* const path = shapes.argument("path", 2);
  return einsum_flops(equation->text, shapes.list_of("tensors", 1), path == nullptr ? Sizes{} : path->numbers);
}

/// In the cheapest order, which PyTorch finds in the same way. Source: multi_dot_impl() in
/// aten/src/ATen/native/LinearAlgebra.cpp.
Polynomial product_chain(const Shapes& shapes) {
  constexpr std::size_t kMostMatrices = 64; // the work grows with its cube
  const std::vector<std::reference_wrapper<const Sizes>> matrices =
      shapes.list_of(shapes.has("tensors", 0) ? "tensors" : "matrices", 0);
  const std::size_t count = matrices.size();
  if (count > kMostMatrices) shapes.misfit("more than 64 matrices");
  // The first operand, if a vector, is a row; the last one is a column.
  std::vector<Polynomial> sizes{matrices.front().get().size() == 1 ? Polynomial(1) : shapes.at(matrices.front(), 0)};
  for (const Sizes& matrix : matrices)
    sizes.push_back(matrix.size() == 1 && sizes.size() == count && count > 1 ? Polynomial(1) : shapes.at(matrix, -1));
  return twice(cheapest_chain(sizes));
}

/// A grouped product: each row is multiplied only by the matrix of its group, wherever the groups end. Source:
/// _grouped_mm in aten/src/ATen/native/cuda/GroupedBlas.cpp.
Polynomial grouped_mm(const Shapes& shapes) {
  const Sizes& left = shapes.of("self", 0);
  const Sizes& right = shapes.of("mat2", 1);
  const Polynomial product = shapes.at(left, -2) * shapes.at(left, -1) * shapes.at(right, -1);
  // Matrices on both sides are a batch; else the groups share the rows, the columns or the inner size.
  return twice(left.size() == 3 && right.size() == 3 ? product * shapes.at(left, 0) : product);
}

/// Every weight is multiplied for every element of the result's space; in a transposed convolution, of the input's.
Polynomial convolved(const Shapes& shapes, const Sizes& input, bool is_transposed) {
  const Sizes& weight = shapes.of("weight", 1);
  const Sizes& space = is_transposed ? input : shapes.result();
  if (weight.size() < 3 || space.size() + 1 < weight.size()) shapes.misfit("too few dimensions");
  Polynomial places = 1;
  const std::size_t dimensions = weight.size() - 2;
  for (std::size_t i = space.size() - dimensions; i < space.size(); ++i)
    places *= space[i];
  const Polynomial batch = input.size() == weight.size() ? input.front() : Polynomial(1);
  return twice(batch * places * product_of(weight));
}
Polynomial convolution(const Shapes& shapes) {
  const Argument* const transposed = shapes.argument("transposed", 6);
  return convolved(shapes, shapes.of("input", 0), transposed != nullptr && transposed->boolean);
}
Polynomial plain_convolution(const Shapes& shapes) {
  return convolved(shapes, shapes.of(shapes.has("input", 0) ? "input" : "self", 0), false);
}
Polynomial transposed_convolution(const Shapes& shapes) {
  return convolved(shapes, shapes.of(shapes.has("input", 0) ? "input" : "self", 0), true);
}

/// Each requested gradient costs as much as the convolution. For the weight of a grouped one, torch.utils.flop_counter
/// counts as if there were no groups.
Polynomial convolution_backward(const Shapes& shapes) {
  const Argument* const transposed = shapes.argument("transposed", 7);
  const bool is_transposed = transposed != nullptr && transposed->boolean;
  const Sizes& weight = shapes.of("weight", 2);
  const Sizes& space = is_transposed ? shapes.of("input", 1) : shapes.of("grad_output", 0);
  if (weight.size() < 3 || space.size() != weight.size()) shapes.misfit("too few dimensions");
  Polynomial forward = space.front() * product_of(weight);
  for (std::size_t i = 2; i < space.size(); ++i)
    forward *= space[i];
  const Argument* const mask = shapes.argument("output_mask", 10);
  Polynomial gradients = 2;
  if (mask != nullptr && mask->numbers.size() >= 2) gradients = mask->numbers[0] + mask->numbers[1];
  return twice(forward * gradients);
}

/// Returns the product of all dimensions except the last `left_out`: heads of queries, steps of sequences.
Polynomial product_before(const Sizes& sizes, std::size_t left_out) {
  return product_of(std::span(sizes).first(sizes.size() - std::min(left_out, sizes.size())));
}

/// Scores of queries and keys, then sums of values; with grouped queries, by the heads of the queries. A causal mask
/// does not reduce the count.
Polynomial attention(const Shapes& shapes) {
  const Sizes& query = shapes.of("query", 0);
  const Sizes& key = shapes.of("key", 1);
  const Sizes& value = shapes.of("value", 2);
  const Polynomial heads = product_before(query, 2);
  return twice(heads * shapes.at(query, -2) * shapes.at(key, -2) * (shapes.at(query, -1) + shapes.at(value, -1)));
}
/// The scores once more, then the gradients of scores and values, of queries and of keys.
Polynomial attention_backward(const Shapes& shapes) {
  const Sizes& query = shapes.of("query", 1);
  const Sizes& key = shapes.of("key", 2);
  const Sizes& value = shapes.of("value", 3);
  const Polynomial heads = product_before(query, 2);
  const Polynomial widths = Polynomial(3) * shapes.at(query, -1) + Polynomial(2) * shapes.at(value, -1);
  return twice(heads * shapes.at(query, -2) * shapes.at(key, -2) * widths);
}
/// Counts like attention() if the heads follow the sequence. With `cum_seq_q` the sequences of a batch are
/// concatenated, and each is assumed to be the longest, because their lengths are data.
Polynomial packed_attention(const Shapes& shapes, std::string_view cumulative, std::string_view longest_query,
                            std::string_view longest_key, std::size_t place) {
  const Sizes& query = shapes.of("query", 0);
  const Sizes& key = shapes.of("key", 1);
  const Sizes& value = shapes.of("value", 2);
  const Polynomial& heads = shapes.at(query, -2);
  const Polynomial widths = shapes.at(query, -1) + shapes.at(value, -1);
  if (!shapes.has(cumulative, place))
    return twice(shapes.at(query, 0) * heads * shapes.at(query, -3) * shapes.at(key, -3) * widths);
  const Argument* const most_query = shapes.argument(longest_query, place + 2);
  const Argument* const most_key = shapes.argument(longest_key, place + 3);
  if (most_query == nullptr || most_key == nullptr || most_query->numbers.empty() || most_key->numbers.empty())
    shapes.misfit("no longest sequence");
  const Polynomial sequences = shapes.at(shapes.of(cumulative, place), 0) + Polynomial(-1);
  return twice(sequences * heads * most_query->numbers.front() * most_key->numbers.front() * widths);
}
Polynomial flash_attention(const Shapes& shapes) {
  return packed_attention(shapes, "cum_seq_q", "max_q", "max_k", 3);
}
Polynomial efficient_attention(const Shapes& shapes) {
  return packed_attention(shapes, "cu_seqlens_q", "max_seqlen_q", "max_seqlen_k", 4);
}

/// Every weight matrix is multiplied at every step of every sequence; the weights are in `params`, or for one layer in
/// weight0 and weight1.
Polynomial recurrent(const Shapes& shapes) {
  const Sizes& input = shapes.of(shapes.has("input", 0) ? "input" : "data", 0);
  Polynomial weights;
  for (const Sizes& parameter : shapes.list_of("params", 2)) {
    if (parameter.size() == 2) weights += product_of(parameter);
  }
  return twice(product_before(input, 1) * weights);
}
Polynomial recurrent_layer(const Shapes& shapes) {
  const Polynomial steps = product_before(shapes.of("input", 0), 1);
  return twice(steps * (product_of(shapes.of("weight0", 1)) + product_of(shapes.of("weight1", 2))));
}

/// One step of a recurrent network: both weight matrices are multiplied by each row of the batch.
Polynomial recurrent_cell(const Shapes& shapes) {
  const Polynomial rows = product_before(shapes.of("input", 0), 1);
  return twice(rows * (product_of(shapes.of("w_ih", 2)) + product_of(shapes.of("w_hh", 3))));
}

constexpr std::pair<std::string_view, Formula> kFormulas[] = {
    {"aten.mm", mm},
    {"aten.bmm", mm},
    {"aten.mv", mm},
    {"aten.dot", mm},
    {"aten.vdot", mm},
    {"aten.inner", mm},
    {"aten.matmul", mm},
    {"aten._int_mm", mm},
    {"aten._scaled_mm", mm},
    {"aten._scaled_mm_v2", mm},
    {"aten.addmm", addmm},
    {"aten._addmm_activation", addmm},
    {"aten.addmv", addmv},
    {"aten.baddbmm", baddbmm},
    {"aten.addbmm", addbmm},
    {"aten.linear", linear},
    {"aten.mkldnn_linear", linear},
    {"aten.tensordot", tensordot},
    {"aten.einsum", einsum},
    {"aten._grouped_mm", grouped_mm},
    {"aten._scaled_grouped_mm", grouped_mm},
    {"aten._scaled_grouped_mm_v2", grouped_mm},
    {"aten.convolution", convolution},
    {"aten._convolution", convolution},
    {"aten.convolution_overrideable", convolution},
    {"aten.convolution_backward", convolution_backward},
    {"aten.conv1d", plain_convolution},
    {"aten.conv2d", plain_convolution},
    {"aten.conv3d", plain_convolution},
    {"aten.cudnn_convolution", plain_convolution},
    {"aten.mkldnn_convolution", plain_convolution},
    {"aten._slow_conv2d_forward", plain_convolution},
    {"aten._conv_depthwise2d", plain_convolution},
    {"aten.conv_depthwise3d", plain_convolution},
    {"aten.conv_transpose1d", transposed_convolution},
    {"aten.conv_transpose2d", transposed_convolution},
    {"aten.conv_transpose3d", transposed_convolution},
    {"aten.cudnn_convolution_transpose", transposed_convolution},
    {"aten.scaled_dot_product_attention", attention},
    {"aten._scaled_dot_product_flash_attention", attention},
    {"aten._scaled_dot_product_flash_attention_for_cpu", attention},
    {"aten._scaled_dot_product_efficient_attention", attention},
    {"aten._scaled_dot_product_cudnn_attention", attention},
    {"aten._scaled_dot_product_fused_attention_overrideable", attention},
    {"aten._scaled_dot_product_attention_math", attention},
    {"aten._scaled_dot_product_flash_attention_backward", attention_backward},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward", attention_backward},
    {"aten._scaled_dot_product_efficient_attention_backward", attention_backward},
    {"aten._scaled_dot_product_cudnn_attention_backward", attention_backward},
    {"higher_order.flex_attention", attention},
    {"aten._flash_attention_forward", flash_attention},
    {"aten._efficient_attention_forward", efficient_attention},
    {"aten.lstm", recurrent},
    {"aten.gru", recurrent},
    {"aten.rnn_tanh", recurrent},
    {"aten.rnn_relu", recurrent},
    {"aten.mkldnn_rnn_layer", recurrent_layer},
    {"aten.lstm_cell", recurrent_cell},
    {"aten.gru_cell", recurrent_cell},
    {"aten.rnn_tanh_cell", recurrent_cell},
    {"aten.rnn_relu_cell", recurrent_cell},
    {"aten.chain_matmul", product_chain},
    {"aten.linalg_multi_dot", product_chain},
};

/// Parts of the names of operators that have products of matrices inside, or transforms that are as much work.
constexpr std::string_view kMultiplying[] = {"aten.linalg_",
                                             "aten.cdist",
                                             "aten._cdist",
                                             "aten.bilinear",
                                             "aten._trilinear",
                                             "aten.fft_",
                                             "aten._fft",
                                             "_mm_for_",
                                             "pack_mm",
                                             "multi_head_attention",
                                             "transformer_encoder_layer",
                                             "aten.cholesky",
                                             "aten.lu_",
                                             "aten.svd",
                                             "aten.qr",
                                             "aten.sparse_",
                                             "aten._sparse_",
                                             "aten.quantized_",
                                             "attention",
                                             "convolution",
                                             "backward"};

} // namespace

std::string_view operator_of(std::string_view target) {
  const std::size_t space = target.find('.');
  if (space == std::string_view::npos) return target;
  return target.substr(0, target.find('.', space + 1));
}

std::optional<Polynomial> flops_of(const Node& node, const Graph& graph) {
  const std::string_view name = operator_of(node.target);
  const auto* const known =
      std::find_if(std::begin(kFormulas), std::end(kFormulas), [&](const auto& entry) { return entry.first == name; });
  if (known == std::end(kFormulas)) return std::nullopt;
  return known->second(Shapes(node, graph));
}

UncountedReason uncounted_reason(std::string_view target) {
  const std::string_view name = operator_of(target);
  // Arithmetic on sizes.
  constexpr std::string_view kOnSizes[] = {"_operator.", "math.", "builtins.", "torch.sym_", "aten.sym_"};
  const auto begins = [&](std::string_view part) { return name.starts_with(part); };
  if (std::any_of(std::begin(kOnSizes), std::end(kOnSizes), begins)) return UncountedReason::no_product;
  const auto is_part = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (std::any_of(std::begin(kMultiplying), std::end(kMultiplying), is_part)) return UncountedReason::unknown_product;
  const bool is_own = name.starts_with("aten.") || name.starts_with("prims.") || name.starts_with("higher_order.");
  return is_own ? UncountedReason::no_product : UncountedReason::not_pytorch;
}

} // namespace memviz::program
