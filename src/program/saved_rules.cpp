#include "program/saved_rules.hpp"

#include "program/formulas.hpp"

#include <algorithm>
#include <iterator>

namespace memviz::program {
namespace {

constexpr auto kOperand = Keep::operand;
constexpr auto kFactor = Keep::factor;
constexpr auto kResult = Keep::result;

// The rules of an operator are consecutive. Callers exclude weights that are parameters.
constexpr KeepRule kRules[] = {
    {"aten.mm", kFactor, "self", "mat2", 0},
    {"aten.mm", kFactor, "mat2", "self", 1},
    {"aten.bmm", kFactor, "self", "mat2", 0},
    {"aten.bmm", kFactor, "mat2", "self", 1},
    {"aten.matmul", kFactor, "self", "other", 0},
    {"aten.matmul", kFactor, "other", "self", 1},
    {"aten.mv", kFactor, "self", "vec", 0},
    {"aten.mv", kFactor, "vec", "self", 1},
    {"aten.dot", kFactor, "self", "tensor", 0},
    {"aten.dot", kFactor, "tensor", "self", 1},
    {"aten.addmm", kFactor, "mat1", "mat2", 1},
    {"aten.addmm", kFactor, "mat2", "mat1", 2},
    {"aten.baddbmm", kFactor, "batch1", "batch2", 1},
    {"aten.baddbmm", kFactor, "batch2", "batch1", 2},
    {"aten.linear", kFactor, "input", "weight", 0},
    {"aten.linear", kFactor, "weight", "input", 1},
    {"aten.einsum", kOperand, "tensors", "", 1},
    {"aten._grouped_mm", kFactor, "self", "mat2", 0},
    {"aten._grouped_mm", kFactor, "mat2", "self", 1},
    {"aten._grouped_mm", kOperand, "offs", "", 2},
    {"aten.convolution", kFactor, "input", "weight", 0},
    {"aten.convolution", kFactor, "weight", "input", 1},
    {"aten.conv1d", kFactor, "input", "weight", 0},
    {"aten.conv1d", kFactor, "weight", "input", 1},
    {"aten.conv2d", kFactor, "input", "weight", 0},
    {"aten.conv2d", kFactor, "weight", "input", 1},
    {"aten.conv3d", kFactor, "input", "weight", 0},
    {"aten.conv3d", kFactor, "weight", "input", 1},
    {"aten.conv_transpose1d", kFactor, "input", "weight", 0},
    {"aten.conv_transpose1d", kFactor, "weight", "input", 1},
    {"aten.conv_transpose2d", kFactor, "input", "weight", 0},
    {"aten.conv_transpose2d", kFactor, "weight", "input", 1},
    {"aten.conv_transpose3d", kFactor, "input", "weight", 0},
    {"aten.conv_transpose3d", kFactor, "weight", "input", 1},
    {"aten.scaled_dot_product_attention", kOperand, "query", "", 0},
    {"aten.scaled_dot_product_attention", kOperand, "key", "", 1},
    {"aten.scaled_dot_product_attention", kOperand, "value", "", 2},
    {"aten.scaled_dot_product_attention", kOperand, "attn_mask", "", 3},
    {"aten.scaled_dot_product_attention", kResult, "", "", 0},
    {"aten._scaled_dot_product_flash_attention_for_cpu", kOperand, "query", "", 0},
    {"aten._scaled_dot_product_flash_attention_for_cpu", kOperand, "key", "", 1},
    {"aten._scaled_dot_product_flash_attention_for_cpu", kOperand, "value", "", 2},
    {"aten._scaled_dot_product_flash_attention_for_cpu", kResult, "", "", 0},
    {"aten._scaled_dot_product_flash_attention_for_cpu", kResult, "", "", 1},
    {"aten._scaled_dot_product_flash_attention", kOperand, "query", "", 0},
    {"aten._scaled_dot_product_flash_attention", kOperand, "key", "", 1},
    {"aten._scaled_dot_product_flash_attention", kOperand, "value", "", 2},
    {"aten._scaled_dot_product_flash_attention", kResult, "", "", 0},
    {"aten._scaled_dot_product_flash_attention", kResult, "", "", 1},
    {"aten._scaled_dot_product_efficient_attention", kOperand, "query", "", 0},
    {"aten._scaled_dot_product_efficient_attention", kOperand, "key", "", 1},
    {"aten._scaled_dot_product_efficient_attention", kOperand, "value", "", 2},
    {"aten._scaled_dot_product_efficient_attention", kResult, "", "", 0},
    {"aten._scaled_dot_product_efficient_attention", kResult, "", "", 1},
    {"aten.mul", kFactor, "self", "other", 0},
    {"aten.mul", kFactor, "other", "self", 1},
    {"aten.div", kFactor, "self", "other", 0},
    {"aten.div", kOperand, "other", "", 1},
    {"aten.addcmul", kFactor, "tensor1", "tensor2", 1},
    {"aten.addcmul", kFactor, "tensor2", "tensor1", 2},
    {"aten.pow", kOperand, "self", "", 0},
    {"aten.pow", kOperand, "exponent", "", 1},
    {"aten.pow", kResult, "", "exponent", 0},
    {"aten.square", kOperand, "self", "", 0},
    {"aten.relu", kResult, "", "", 0},
    {"aten.tanh", kResult, "", "", 0},
    {"aten.sigmoid", kResult, "", "", 0},
    {"aten.softmax", kResult, "", "", 0},
    {"aten._softmax", kResult, "", "", 0},
    {"aten._safe_softmax", kResult, "", "", 0},
    {"aten.log_softmax", kResult, "", "", 0},
    {"aten._log_softmax", kResult, "", "", 0},
    {"aten.exp", kResult, "", "", 0},
    {"aten.sqrt", kResult, "", "", 0},
    {"aten.rsqrt", kResult, "", "", 0},
    {"aten.reciprocal", kResult, "", "", 0},
    {"aten.gelu", kOperand, "self", "", 0},
    {"aten.silu", kOperand, "self", "", 0},
    {"aten.mish", kOperand, "self", "", 0},
    {"aten.elu", kOperand, "self", "", 0},
    {"aten.leaky_relu", kOperand, "self", "", 0},
    {"aten.hardtanh", kOperand, "self", "", 0},
    {"aten.relu6", kOperand, "self", "", 0},
    {"aten.hardswish", kOperand, "self", "", 0},
    {"aten.hardsigmoid", kOperand, "self", "", 0},
    {"aten.softplus", kOperand, "self", "", 0},
    {"aten.log", kOperand, "self", "", 0},
    {"aten.sin", kOperand, "self", "", 0},
    {"aten.cos", kOperand, "self", "", 0},
    {"aten.abs", kOperand, "self", "", 0},
    {"aten.erf", kOperand, "self", "", 0},
    {"aten.clamp", kOperand, "self", "", 0},
    {"aten.clamp_min", kOperand, "self", "", 0},
    {"aten.clamp_max", kOperand, "self", "", 0},
    {"aten.glu", kOperand, "self", "", 0},
    {"aten.var", kOperand, "self", "", 0},
    {"aten.layer_norm", kOperand, "input", "", 0},
    {"aten.native_layer_norm", kOperand, "input", "", 0},
    {"aten.native_layer_norm", kResult, "", "", 1},
    {"aten.native_layer_norm", kResult, "", "", 2},
    {"aten.group_norm", kOperand, "input", "", 0},
    {"aten.native_group_norm", kOperand, "input", "", 0},
    {"aten.native_group_norm", kResult, "", "", 1},
    {"aten.native_group_norm", kResult, "", "", 2},
    {"aten.rms_norm", kOperand, "input", "", 0},
    {"aten._fused_rms_norm", kOperand, "input", "", 0},
    {"aten._fused_rms_norm", kResult, "", "", 1},
    {"aten.batch_norm", kOperand, "input", "", 0},
    {"aten._native_batch_norm_legit_no_training", kOperand, "input", "", 0},
    {"aten.cross_entropy_loss", kOperand, "target", "", 1},
    {"aten._native_batch_norm_legit_functional", kOperand, "input", "", 0},
    {"aten._native_batch_norm_legit_functional", kResult, "", "", 1},
    {"aten._native_batch_norm_legit_functional", kResult, "", "", 2},
    {"aten.native_batch_norm", kOperand, "input", "", 0},
    {"aten.native_batch_norm", kResult, "", "", 1},
    {"aten.native_batch_norm", kResult, "", "", 2},
    {"aten.embedding", kOperand, "indices", "", 1},
    {"aten.native_dropout", kResult, "", "", 1},
    {"aten.dropout", Keep::nothing},
    {"aten.lstm_cell", kFactor, "input", "w_ih", 0},
    {"aten.lstm_cell", kOperand, "hx", "", 1},
    {"aten.lstm_cell", kResult, "", "", 1},
    {"aten.gru_cell", kFactor, "input", "w_ih", 0},
    {"aten.gru_cell", kOperand, "hx", "", 1},
    {"aten.rnn_tanh_cell", kFactor, "input", "w_ih", 0},
    {"aten.rnn_tanh_cell", kFactor, "hx", "w_hh", 1},
    {"aten.rnn_tanh_cell", kResult, "", "", 0},
    {"aten.rnn_relu_cell", kFactor, "input", "w_ih", 0},
    {"aten.rnn_relu_cell", kFactor, "hx", "w_hh", 1},
    {"aten.rnn_relu_cell", kResult, "", "", 0},
    {"aten.max_pool2d", kOperand, "self", "", 0},
    {"aten.max_pool2d_with_indices", kOperand, "self", "", 0},
    {"aten.max_pool2d_with_indices", kResult, "", "", 1},
    {"aten.avg_pool2d", kOperand, "self", "", 0},
    {"aten.adaptive_avg_pool2d", kOperand, "self", "", 0},
    {"aten._adaptive_avg_pool2d", kOperand, "self", "", 0},
    {"aten.nll_loss_forward", kOperand, "self", "", 0},
    {"aten.nll_loss_forward", kOperand, "target", "", 1},
    {"aten.nll_loss_forward", kResult, "", "", 1},
    {"aten.mse_loss", kOperand, "self", "", 0},
    {"aten.mse_loss", kOperand, "target", "", 1},
    {"aten.index", kOperand, "indices", "", 1},
    {"aten.index_select", kOperand, "index", "", 2},
    {"aten.index_add", kOperand, "index", "", 2},
    {"aten.gather", kOperand, "self", "", 0},
    {"aten.gather", kOperand, "index", "", 2},
    {"aten.scatter", kOperand, "index", "", 2},
    {"aten.scatter_add", kOperand, "index", "", 2},
    {"aten.topk", kResult, "", "", 1},
    {"aten.sort", kResult, "", "", 1},
    {"aten.where", kOperand, "condition", "", 0},
    {"aten.masked_fill", kOperand, "mask", "", 1},
    {"aten.maximum", kOperand, "self", "", 0},
    {"aten.maximum", kOperand, "other", "", 1},
    {"aten.minimum", kOperand, "self", "", 0},
    {"aten.minimum", kOperand, "other", "", 1},
};

constexpr std::string_view kKeepNothing[] = {"aten.add",
                                             "aten.sub",
                                             "aten.rsub",
                                             "aten.neg",
                                             "aten.sum",
                                             "aten.mean",
                                             "aten.cat",
                                             "aten.stack",
                                             "aten.clone",
                                             "aten.copy",
                                             "aten._to_copy",
                                             "aten.to",
                                             "aten.type_as",
                                             "aten.contiguous",
                                             "aten.reshape",
                                             "aten.flatten",
                                             "aten.pad",
                                             "aten.constant_pad_nd",
                                             "aten.repeat",
                                             "aten.roll",
                                             "aten.flip",
                                             "aten.cumsum",
                                             "aten.tril",
                                             "aten.triu",
                                             "aten.masked_fill_",
                                             "aten.zeros_like",
                                             "aten.ones_like",
                                             "aten.full_like",
                                             "aten.lift_fresh_copy",
                                             "aten.slice_scatter",
                                             "aten.select_scatter",
                                             "aten.upsample_nearest2d",
                                             "aten.upsample_bilinear2d",
                                             "aten.pixel_shuffle",
                                             "aten.empty_like",
                                             "aten.rand_like",
                                             "aten.randn_like",
                                             "aten.bernoulli",
                                             "aten.detach_",
                                             "aten.repeat_interleave",
                                             "aten.split_with_sizes_copy",
                                             "aten.floor",
                                             "aten.round",
                                             "aten.sign"};

constexpr std::string_view kViews[] = {"aten.view",
                                       "aten._unsafe_view",
                                       "aten.permute",
                                       "aten.transpose",
                                       "aten.t",
                                       "aten.numpy_T",
                                       "aten.expand",
                                       "aten.expand_as",
                                       "aten.unsqueeze",
                                       "aten.squeeze",
                                       "aten.slice",
                                       "aten.select",
                                       "aten.split",
                                       "aten.split_with_sizes",
                                       "aten.chunk",
                                       "aten.unbind",
                                       "aten.narrow",
                                       "aten.alias",
                                       "aten.detach",
                                       "aten.diagonal",
                                       "aten.as_strided",
                                       "aten.view_as",
                                       "aten.unflatten",
                                       "aten.movedim",
                                       "aten.swapaxes",
                                       "aten.swapdims",
                                       "aten.unfold",
                                       "aten.real",
                                       "aten.imag",
                                       "aten.mT",
                                       "aten.adjoint",
                                       "aten.tensor_split",
                                       "aten.lift_fresh",
                                       "aten.view_as_real",
                                       "aten.view_as_complex"};

template <class List> bool contains(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

const Tensor* first_tensor(const Node& node, const Graph& graph) {
  for (const Argument& argument : node.arguments) {
    if (argument.kind == Argument::Kind::tensors && !argument.tensors.empty())
      return &graph.tensors[argument.tensors.front()];
  }
  return nullptr;
}

bool is_on(const Node& node, std::string_view name, std::size_t place) {
  const Argument* const given = argument_of(node, name, place);
  return given == nullptr || given->boolean;
}

double real_of(const Node& node, std::string_view name, std::size_t place, double usual) {
  const Argument* const given = argument_of(node, name, place);
  return given == nullptr || given->kind != Argument::Kind::real ? usual : given->real;
}

/// A dropout with probability 0 returns its input. Source: is_fused_kernel_acceptable() and _dropout_impl() in
/// aten/src/ATen/native/Dropout.cpp.
bool drops(const Node& node) {
  constexpr double kUsual = 0.5;
  return is_on(node, "train", 2) && real_of(node, "p", 1, kUsual) != 0;
}

Polynomial number_of(const Node& node, std::string_view name, std::size_t place) {
  const Argument* const argument = argument_of(node, name, place);
  return argument == nullptr || argument->numbers.empty() ? Polynomial(1) : argument->numbers.front();
}

const Tensor* tensor_of(const Node& node, const Graph& graph, std::string_view name, std::size_t place) {
  const Argument* const argument = argument_of(node, name, place);
  return argument == nullptr || argument->tensors.empty() ? nullptr : &graph.tensors[argument->tensors.front()];
}

/// The logarithms of the probabilities; with numbers of classes, the sum of the classes' weights; with smoothing, which
/// targets are ignored, and how many are not.
Polynomial kept_by_cross_entropy(const Node& node, const Graph& graph, const Tensor& given) {
  constexpr std::int64_t kCountBytes = 8;
  Polynomial logarithms = Polynomial(given.element_bytes) * product_of(given.sizes);
  const Tensor* const target = tensor_of(node, graph, "target", 1);
  if (target == nullptr || target->is_floating) return logarithms;
  Polynomial kept = logarithms + Polynomial(given.element_bytes);
  if (real_of(node, "label_smoothing", 5, 0) != 0) kept += product_of(target->sizes) + Polynomial(kCountBytes);
  return kept;
}

} // namespace

std::optional<std::span<const KeepRule>> keep_rules(std::string_view target) {
  std::string_view name = operator_of(target);
  if (name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
  const auto is_of = [&](const KeepRule& rule) { return rule.target == name; };
  const auto* const begin = std::find_if(std::begin(kRules), std::end(kRules), is_of);
  const auto* const end = std::find_if_not(begin, std::end(kRules), is_of);
  if (begin != end) return std::span(begin, end);
  const bool keeps_nothing = contains(kKeepNothing, name) || contains(kViews, name) || name.starts_with("aten.sym_") ||
                             name.starts_with("_operator.") || name.starts_with("aten._assert");
  if (keeps_nothing) return std::span<const KeepRule>{};
  return std::nullopt;
}

bool is_view(const Node& node, const Graph& graph) {
  const std::string_view name = operator_of(node.target);
  if (contains(kViews, name) || (name.ends_with('_') && !name.ends_with("__"))) return true;
  const Tensor* const given = first_tensor(node, graph);
  if (given == nullptr || node.outputs.empty()) return false;
  if (name == "aten.contiguous" || name == "aten.reshape" || name == "aten.flatten") return given->is_contiguous;
  const Tensor& made = graph.tensors[node.outputs.front()];
  if (name == "aten.to" || name == "aten.type_as")
    return given->element_bytes == made.element_bytes && given->is_floating == made.is_floating;
  if (name == "aten.dropout") return !drops(node);
  return false;
}

std::optional<FlopAssumption> assumption_of(const Node& node) {
  const std::string_view name = operator_of(node.target);
  if (name == "aten.rms_norm") return FlopAssumption::fused_norm;
  if (name == "aten.lstm_cell" || name == "aten.gru_cell") return FlopAssumption::fused_cells;
  return std::nullopt;
}

Polynomial extra_kept_bytes(const Node& node, const Graph& graph) {
  constexpr std::int64_t kStatisticBytes = 4; // in float32, whatever type is normalised
  constexpr std::int64_t kIndexBytes = 8;
  const std::string_view name = operator_of(node.target);
  const Tensor* const given = first_tensor(node, graph);
  if (given == nullptr || given->sizes.empty()) return {};
  const std::vector<Polynomial>& sizes = given->sizes;
  if (name == "aten.layer_norm" || name == "aten.rms_norm") {
    const std::int64_t statistics = name == "aten.layer_norm" ? 2 : 1;
    const Argument* const shape = argument_of(node, "normalized_shape", 1);
    const std::size_t normalised = shape == nullptr ? 1 : std::min(shape->numbers.size(), sizes.size());
    return Polynomial(statistics * kStatisticBytes) * product_of(std::span(sizes).first(sizes.size() - normalised));
  }
  if (name == "aten.group_norm")
    return Polynomial(2 * kStatisticBytes) * sizes.front() * number_of(node, "num_groups", 1);
  if (name == "aten.batch_norm" && sizes.size() > 1 && is_on(node, "training", 5))
    return Polynomial(2 * kStatisticBytes) * sizes[1];
  // A dropout on a GPU keeps one byte per element; one with probability 1 multiplies by zero.
  if (name == "aten.dropout" && drops(node))
    return real_of(node, "p", 1, 0) == 1 ? Polynomial(given->element_bytes) : product_of(sizes);
  if (name == "aten.cross_entropy_loss") return kept_by_cross_entropy(node, graph, *given);
  // The gates of the input and of the state, and the results of the fused kernel. Source:
  // aten/src/ATen/native/cuda/RNN.cu.
  if (name == "aten.lstm_cell" || name == "aten.gru_cell") {
    if (node.outputs.empty()) return {};
    const Tensor& state = graph.tensors[node.outputs.front()];
    constexpr std::int64_t kOfLstm = 4 + 4 + 4;
    constexpr std::int64_t kOfGru = 3 + 3 + 5;
    return Polynomial((name == "aten.lstm_cell" ? kOfLstm : kOfGru) * state.element_bytes) * product_of(state.sizes);
  }
  if (name == "aten.max_pool2d" && !node.outputs.empty())
    return Polynomial(kIndexBytes) * product_of(graph.tensors[node.outputs.front()].sizes);
  if (name == "aten.scaled_dot_product_attention") {
    constexpr std::int64_t kSeedBytes = 16; // of the random numbers of its dropout, even if its probability is 0
    return Polynomial(kStatisticBytes) * product_of(std::span(sizes).first(sizes.size() - 1)) +
           Polynomial(given->is_cuda ? kSeedBytes : 0);
  }
  return {};
}

} // namespace memviz::program
