#include "story/cause_words.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/explain_answers.hpp"
#include "story/explain_figures.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace memviz {

namespace {

std::string own_line(const FrameTable& frames, FrameId frame) {
  return elided(node_label(frames, frame), kNameColumns);
}

std::string kept_graphs(const Cause& cause, const std::string& held, const std::string& from) {
  const std::string_view why =
      cause.has_backward
          ? "Backward passes ran meanwhile, so something still refers to these graphs: a sum of losses or a state that "
            "each step carries on without detach(), outputs in a list, retain_graph=True."
          : "No backward pass ran meanwhile: torch.no_grad() is missing, or outputs are kept with their graphs.";
  return fmt::format("Kept graphs: {} of {} earlier forward passes is still alive, most of it made{}. {}", held,
                     format_count(cause.calls), from, why);
}

std::string large_request(const Cause& cause, const std::string& from) {
  return fmt::format("Large request: the {} asked for{} are {} x {} values of {} bytes, and as many values as one side "
                     "are alive: shapes (N, 1) and (N) broadcast to N x N.",
                     format_bytes(cause.bytes), from, format_count(cause.square_of), format_count(cause.square_of),
                     cause.value_bytes);
}

std::string sentence(const Cause& cause, const std::string& held, const std::string& from) {
  switch (cause.kind) {
  case CauseKind::outside:
    return fmt::format("Outside PyTorch: {} of the device is held by other processes, the CUDA context and libraries.",
                       format_bytes(cause.bytes));
  case CauseKind::large_request: return large_request(cause, from);
  case CauseKind::kept_graphs: return kept_graphs(cause, held, from);
  case CauseKind::kept_outputs:
    return fmt::format("Kept: {} of {} earlier calls is still alive, most of it made{}: a list, a dict, a forward hook "
                       "or a slice of it keeps it, call after call.",
                       held, format_count(cause.calls), from);
  case CauseKind::earlier_failure:
    return fmt::format("Kept since an earlier out-of-memory error: {} was made{} before that error and is still alive. "
                       "A caught exception keeps its traceback, the frames in it, and their tensors.",
                       held, from);
  case CauseKind::foreach_temporaries:
    return fmt::format("Optimizer's temporaries: {} is what the foreach implementation of the optimizer makes for all "
                       "parameters at once{}.",
                       held, from);
  case CauseKind::logits:
    return fmt::format("Logits and loss: {} is the logits, their copies in other precision, and what cross entropy "
                       "makes of them{}.",
                       held, from);
  case CauseKind::attention_scores:
    return fmt::format("Attention scores: {} is softmax and blocks of the same size{}: the scores are materialised, "
                       "and grow with the square of the sequence.",
                       held, from);
  case CauseKind::recomputed:
    return fmt::format("Recomputed activations: {} was recomputed by torch.utils.checkpoint, all at once{}: one "
                       "checkpoint covers that much.",
                       held, from);
  case CauseKind::copied_weights:
    return fmt::format("Copies of weights: {} was made by copy.deepcopy(){}, with the sizes of parameters, in addition "
                       "to the model.",
                       held, from);
  case CauseKind::loaded_weights:
    return fmt::format("Weights twice: {} was loaded onto the device{}, with the sizes of parameters, in addition to "
                       "the model.",
                       held, from);
  case CauseKind::concatenation:
    return fmt::format("Concatenation: {} is for torch.cat(){}, which makes a new tensor while the old one is alive, "
                       "each time as large as all before it.",
                       held, from);
  case CauseKind::made_at_once:
    return fmt::format("Many blocks at once: {} is {} made in one go{}, as for a data set, and still alive.", held,
                       format_counted(cause.blocks, "block"), from);
  case CauseKind::fragmentation: return "";
  case CauseKind::training_state:
    return fmt::format("Training state: {} is gradients and the optimizer's state, as large as that of all parameters "
                       "that are trained{}.",
                       held, from);
  case CauseKind::weights: return fmt::format("Weights: {} is parameters{}.", held, from);
  }
  return "";
}

} // namespace

std::vector<std::string> callers_text(const FrameTable& frames, const CalledLine& called) {
  std::vector<std::string> texts;
  if (called.call && called.call != called.line) texts.push_back(" ‹ " + own_line(frames, *called.call));
  if (called.caller) texts.push_back(" ‹ " + own_line(frames, *called.caller));
  return texts;
}

std::string called_line_text(const FrameTable& frames, const CalledLine& called) {
  if (!called.line) return "";
  return own_line(frames, *called.line) + fmt::format("{}", fmt::join(callers_text(frames, called), ""));
}

std::string cause_text(const FrameTable& frames, const DeviceExplanation& device, const Cause& cause) {
  const std::uint64_t requested_bytes = device.device_state.figures.requested_bytes;
  const std::string held =
      cause.has_request
          ? fmt::format("{} ({} with the request)", format_bytes(cause.bytes),
                        format_percent(cause.bytes, requested_bytes + device.request->bytes))
          : fmt::format("{} ({})", format_bytes(cause.bytes), format_percent(cause.bytes, requested_bytes));
  const std::string line = called_line_text(frames, cause.line);
  return sentence(cause, held, line.empty() ? "" : " by " + line);
}

std::string cause_advice(const Cause& cause) {
  switch (cause.kind) {
  case CauseKind::kept_graphs:
    return cause.has_backward ? "Let go of each step's graph: add loss.item() or loss.detach() to a sum, detach() a "
                                "state before the next step, and remove retain_graph=True."
                              : "Run it under torch.no_grad() or torch.inference_mode(); keep outputs only as "
                                "detached copies, on the CPU.";
  case CauseKind::kept_outputs:
    return "Keep less of each call: figures, or a copy on the CPU. A slice keeps the whole tensor alive; clone() it.";
  case CauseKind::earlier_failure:
    return "Keep str(error) instead of the exception, and try again after the except block has ended.";
  case CauseKind::foreach_temporaries:
    return "Create the optimizer with foreach=False or fused=True, which make no such temporaries.";
  case CauseKind::logits:
    return "Compute the loss in pieces, or with a fused cross entropy, so that no copy of all logits exists.";
  case CauseKind::attention_scores:
    return "Use torch.nn.functional.scaled_dot_product_attention, which does not materialise the scores.";
  case CauseKind::recomputed: return "Checkpoint each block on its own instead of all blocks together.";
  case CauseKind::copied_weights: return "Keep one copy, on the CPU (state_dict() with each value's .cpu()).";
  case CauseKind::loaded_weights:
    return "Load it with map_location=\"cpu\", and let go of it once the model has its values.";
  case CauseKind::concatenation: return "Allocate it once in its full length, and write each step's part into it.";
  case CauseKind::made_at_once: return "Keep it on the CPU, and move each batch when it is needed.";
  case CauseKind::training_state:
    return "If only a part is to be trained (LoRA), freeze the rest with requires_grad_(False) before the optimizer "
           "is created; else shard the state (FSDP, ZeRO) or keep it in 8 bits.";
  case CauseKind::weights:
    return "If the weights are float32, load them in bfloat16, which takes half; else shard or quantise them.";
  case CauseKind::outside:
    return "Find the other processes on this device, and end them or move this program: a process that has ended badly "
           "may still hold memory.";
  case CauseKind::large_request: return "Make both shapes equal before they meet (squeeze(), unsqueeze(), reshape()).";
  case CauseKind::fragmentation: return "";
  }
  return "";
}

namespace {

bool is_usual_cause(const Cause& cause) {
  return cause.kind == CauseKind::training_state || cause.kind == CauseKind::weights;
}

} // namespace

std::span<const Cause> named_causes(const DeviceExplanation& device) {
  constexpr std::size_t kMost = 3;
  const std::span<const Cause> causes = device.causes;
  if (causes.empty() || is_usual_cause(causes.front())) return causes.first(std::min<std::size_t>(1, causes.size()));
  const auto mistakes = static_cast<std::size_t>(
      std::ranges::count_if(causes, [](const Cause& cause) { return !is_usual_cause(cause); })); // they come first
  return causes.first(std::min(kMost, mistakes));
}

bool leads_with_fragmentation(const DeviceExplanation& device) {
  return !device.causes.empty() && device.causes.front().kind == CauseKind::fragmentation;
}

bool has_mistake(const DeviceExplanation& device) {
  return !device.causes.empty() && !leads_with_fragmentation(device) && !is_usual_cause(device.causes.front());
}

bool is_fragmented(const DeviceExplanation& device) {
  constexpr std::uint64_t kLeastPart = 20;
  return device.ledger.room.hard_bytes >= within_reach_bytes(device.ledger) / kLeastPart;
}

bool is_request_the_problem(const DeviceExplanation& device) {
  if (!device.request) return true;
  return !has_mistake(device) && (device.judgement.verdict != Verdict::fragmentation || is_fragmented(device));
}

} // namespace memviz
