#include "story/cause_words.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/explain_answers.hpp"
#include "story/explain_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace memviz {

namespace {

std::string own_line(const FrameTable& frames, FrameId frame) {
  return elided(node_label(frames, frame), kNameColumns);
}

/// The sentence about a cause, of which {0} is what it holds and {1} how many calls or blocks, and the advice against
/// it.
struct CauseWords {
  CauseKind kind;
  std::string_view fact;
  std::string_view advice;
};

constexpr std::array<CauseWords, kCauseKinds> kWords{{
    {CauseKind::outside,
     "Outside PyTorch: {0} of the device is held by other processes, the CUDA context and libraries.",
     "Find the other processes on this device, and end them or move this program: a process that has ended badly may "
     "still hold memory."},
    {CauseKind::large_request, "", "Make both shapes equal before they meet (squeeze(), unsqueeze(), reshape())."},
    {CauseKind::kept_graphs,
     "Kept graphs: {0} of {1} earlier forward passes is still alive, and no backward pass ran meanwhile: "
     "torch.no_grad() is missing, or outputs are kept with their graphs.",
     "Run it under torch.no_grad() or torch.inference_mode(); keep outputs only as detached copies, on the CPU. In "
     "training, call backward() for each micro-batch, not for the sum of their losses."},
    {CauseKind::kept_outputs,
     "Kept: {0} of {1} earlier calls is still alive. Something keeps it call after call, often a list, a dict, a "
     "forward hook or a slice of it.",
     "Keep less of each call: figures, or a copy on the CPU. A slice keeps the whole tensor alive; clone() it."},
    {CauseKind::earlier_failure,
     "Kept since an earlier out-of-memory error: {0} was made before that error and is still alive. A caught exception "
     "keeps its traceback, the frames in it, and their tensors.",
     "Keep str(error) instead of the exception, and try again after the except block has ended."},
    {CauseKind::foreach_temporaries,
     "Optimizer's temporaries: {0} is what the foreach implementation of the optimizer makes for all parameters at "
     "once.",
     "Create the optimizer with foreach=False or fused=True, which make no such temporaries."},
    {CauseKind::logits,
     "Logits and loss: {0} is the logits, their copies in other precision, and what cross entropy makes of them.",
     "Compute the loss in pieces, or with a fused cross entropy, so that no copy of all logits exists."},
    {CauseKind::attention_scores,
     "Attention scores: {0} is softmax and blocks of the same size: the scores are materialised, and grow with the "
     "square of the sequence.",
     "Use torch.nn.functional.scaled_dot_product_attention, which does not materialise the scores."},
    {CauseKind::recomputed,
     "Recomputed activations: {0} was recomputed by torch.utils.checkpoint, all at once: one checkpoint covers that "
     "much.",
     "Checkpoint each block on its own instead of all blocks together."},
    {CauseKind::copied_weights,
     "Copies of weights: {0} was made by copy.deepcopy(), with the sizes of parameters, in addition to the model.",
     "Keep one copy, on the CPU (state_dict() with each value's .cpu())."},
    {CauseKind::loaded_weights,
     "Weights twice: {0} was loaded onto the device, with the sizes of parameters, in addition to the model.",
     "Load it with map_location=\"cpu\", and let go of it once the model has its values."},
    {CauseKind::gathered,
     "Gathered outputs: {0} is the outputs of all replicas, which torch.nn.DataParallel gathers on this device.",
     "Use DistributedDataParallel, or compute the loss within the module, so that losses are gathered instead."},
    {CauseKind::growth,
     "Growth from step to step: {0} was added in {1} steps and is still alive: something keeps a part of each step.",
     ""},
    {CauseKind::concatenation,
     "Concatenation: {0} is for torch.cat(), which makes a new tensor while the old one is alive.",
     "Allocate it once in its full length, and write each step's part into it instead of letting it grow."},
    {CauseKind::made_at_once,
     "Many blocks at once: {0} is {1} blocks made in one go, as for a data set, and still alive.",
     "Keep it on the CPU, and move each batch when it is needed."},
    {CauseKind::dense_gradient,
     "Dense gradient: {0} is the gradient of an embedding, as large as its whole table, however few rows a step uses.",
     "Create the embedding with sparse=True and an optimizer that takes sparse gradients (SGD, Adagrad, SparseAdam)."},
    {CauseKind::repeated_state,
     "State of several optimizers: {0} is the optimizer's state for the same parameters {1} times: earlier optimizers "
     "are still alive.",
     "Let go of an optimizer, and of the schedulers and lists that refer to it, before the next one is created; a "
     "learning rate can be set in its param_groups."},
    {CauseKind::untrained,
     "Gradients without an optimizer: {0} is kept for the gradients of {1} parameters that no torch.optim optimizer "
     "has.",
     "If these parameters are not to be trained, freeze them with requires_grad_(False), and run what needs "
     "no gradient under torch.no_grad(): eval() does neither."},
    {CauseKind::fragmentation, "", ""},
    {CauseKind::varying_sizes, "",
     "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or pad lengths to a few sizes."},
    {CauseKind::activations, "Activations: {0} is what a forward pass has made so far.", ""},
    {CauseKind::training_state, "Training state: {0} is gradients and the optimizer's state.",
     "If only a part is to be trained (LoRA), freeze the rest with requires_grad_(False) before the optimizer is "
     "created; else shard the state (FSDP, ZeRO) or keep it in 8 bits."},
    {CauseKind::weights, "Weights: {0} is parameters.",
     "If the weights are float32, load them in bfloat16, which takes half; else shard or quantise them."},
}};

/// The words for kept graphs if a backward pass ran between the forward passes.
constexpr CauseWords kKeptThroughBackward{
    CauseKind::kept_graphs,
    "Kept graphs: {0} of {1} earlier forward passes is still alive although backward passes ran meanwhile, so "
    "something refers to these graphs: often a sum of losses or a state that each step carries on without detach(), "
    "outputs in a list, retain_graph=True or create_graph=True.",
    "Let go of each step's graph: add loss.item() or loss.detach() to a sum, detach() a state before the next step, "
    "and remove retain_graph=True; after create_graph=True, call zero_grad() each step."};

/// The words for scores that nn.MultiheadAttention returns, which is its default.
constexpr CauseWords kOwnAttention{
    CauseKind::attention_scores,
    "Attention scores: {0} is softmax and blocks of the same size: nn.MultiheadAttention makes the scores because its "
    "weights are to be returned, and they grow with the square of the sequence.",
    "Call nn.MultiheadAttention with need_weights=False: without weights to return it does not materialise the "
    "scores."};

/// The words for activations if no backward pass ran, and so much is alive that a graph keeps it.
constexpr CauseWords kWithoutBackward{
    CauseKind::activations, "Activations: {0} is what a forward pass has made so far and keeps for a backward pass.",
    "If no backward pass follows (inference, validation), run it under torch.no_grad() or torch.inference_mode(), "
    "which "
    "keep none of it."};

const CauseWords& words_of(const Cause& cause) {
  if (lacks_backward(cause)) return kWithoutBackward;
  if (cause.kind == CauseKind::kept_graphs && cause.has_backward) return kKeptThroughBackward;
  if (cause.is_own_attention) return kOwnAttention;
  return *std::ranges::find(kWords, cause.kind, &CauseWords::kind);
}

std::string large_request(const Cause& cause) {
  return fmt::format(
      "Large request: the {0} asked for are {1} x {1} values of {2}, and two tensors with as many values "
      "as one side are alive: shapes (N, 1) and (N) broadcast to N x N.",
      format_bytes(cause.bytes), format_count(cause.square_of), format_counted(cause.value_bytes, "byte"));
}

std::string varying_sizes_text(const Cause& cause) {
  return fmt::format("Sizes that vary: {} is reserved beyond the most that this recording requests at once. In {} "
                     "allocations its largest line asks for {} sizes, and free pieces of one size do not hold a "
                     "larger one.",
                     format_bytes(cause.bytes), format_count(cause.calls), format_count(cause.sizes));
}

/// Returns how many of the parameters have gradients; "" for other causes, or if the parameters are unknown.
std::string trained_text(const CauseScope& scope, const Cause& cause) {
  if (cause.kind != CauseKind::training_state || scope.parameter_bytes == 0) return "";
  if (scope.gradient_bytes >= scope.parameter_bytes)
    return fmt::format(" The gradients are as large as all parameters, {}.", format_bytes(scope.parameter_bytes));
  return fmt::format(" The gradients are {} of {} of parameters.", format_bytes(scope.gradient_bytes),
                     format_bytes(scope.parameter_bytes));
}

/// Returns what is still to come, with the assumption behind it; "" if that is unknown.
std::string to_come_text(const Cause& cause) {
  if (cause.to_come_bytes == 0) return "";
  const std::string bytes = format_bytes(cause.to_come_bytes);
  if (cause.kind == CauseKind::foreach_temporaries)
    return fmt::format(" Up to {} more was to come: in all as much as the gradients.", bytes);
  return fmt::format(
      " It has made {} equal groups of blocks, and the model has {} equal groups of parameters: if these "
      "are its layers, {} more was to come.",
      cause.layers_done, cause.layers, bytes);
}

std::string held_text(const CauseScope& scope, const Cause& cause) {
  std::string bytes = format_bytes(cause.bytes);
  if (cause.kind == CauseKind::outside) return bytes;
  if (!cause.has_request) return fmt::format("{} ({})", bytes, format_percent(cause.bytes, scope.requested_bytes));
  return fmt::format("{} ({} with the request)", bytes,
                     format_percent(cause.bytes, scope.requested_bytes + scope.request_bytes));
}

std::string fact_text(const CauseScope& scope, const Cause& cause) {
  if (cause.kind == CauseKind::large_request) return large_request(cause);
  if (cause.kind == CauseKind::varying_sizes) return varying_sizes_text(cause);
  const std::uint64_t count = cause.kind == CauseKind::made_at_once ? cause.blocks : cause.calls;
  return fmt::format(fmt::runtime(words_of(cause).fact), held_text(scope, cause), format_count(count));
}

} // namespace

std::vector<std::string> callers_text(const FrameTable& frames, const CalledLine& called) {
  std::vector<std::string> texts;
  if (called.call && called.call != called.line) texts.push_back(own_line(frames, *called.call));
  if (called.caller) texts.push_back(own_line(frames, *called.caller));
  return texts;
}

std::string called_line_text(const FrameTable& frames, const CalledLine& called) {
  if (!called.line) return "";
  std::string text = own_line(frames, *called.line);
  for (const std::string& caller : callers_text(frames, called))
    text += " ‹ " + caller;
  return text;
}

CauseScope scope_of(const DeviceExplanation& device) {
  const auto bytes_of = [&](MemoryKind kind) { return device.kinds[static_cast<std::size_t>(kind)].bytes; };
  return {device.device_state.figures.requested_bytes, device.request ? device.request->bytes : 0,
          bytes_of(MemoryKind::parameter), bytes_of(MemoryKind::gradient)};
}

std::string cause_text(const FrameTable& frames, const CauseScope& scope, const Cause& cause) {
  std::string text = fact_text(scope, cause) + trained_text(scope, cause) + to_come_text(cause);
  const std::string line = called_line_text(frames, cause.line);
  if (!line.empty()) text += fmt::format(" Its largest line: {}.", line);
  return text;
}

std::string_view cause_advice(const Cause& cause) {
  return words_of(cause).advice;
}

std::span<const Cause> named_causes(const DeviceExplanation& device) {
  constexpr std::size_t kMost = 3;
  const std::span<const Cause> causes = device.causes;
  if (causes.empty() || is_usual(causes.front().kind)) return causes.first(std::min<std::size_t>(1, causes.size()));
  const auto mistakes = static_cast<std::size_t>(
      std::ranges::count_if(causes, [](const Cause& cause) { return !is_usual(cause.kind); })); // they come first
  const bool may_need_no_graph =
      mistakes < causes.size() && leads_with_fragmentation(device) && lacks_backward(causes[mistakes]);
  return causes.first(std::min(kMost, mistakes + (may_need_no_graph ? 1 : 0)));
}

bool lacks_backward(const Cause& cause) {
  return cause.kind == CauseKind::activations && !cause.has_backward && cause.keeps_graph;
}

bool leads_with_fragmentation(const DeviceExplanation& device) {
  return !device.causes.empty() && device.causes.front().kind == CauseKind::fragmentation;
}

bool has_mistake(const DeviceExplanation& device) {
  return !device.causes.empty() && !leads_with_fragmentation(device) && !is_usual(device.causes.front().kind);
}

bool is_request_the_problem(const DeviceExplanation& device) {
  if (!device.request) return true;
  return !has_mistake(device) && (device.judgement.verdict != Verdict::fragmentation || device.ledger.is_fragmented());
}

} // namespace memviz
