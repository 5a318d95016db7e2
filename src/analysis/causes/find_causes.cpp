#include "analysis/causes/find_causes.hpp"

#include "analysis/calls/kept_calls.hpp"
#include "analysis/calls/live_block.hpp"
#include "analysis/causes/backward_passes.hpp"
#include "analysis/causes/earlier_failure.hpp"
#include "analysis/causes/layers.hpp"
#include "analysis/causes/one_tensor.hpp"
#include "analysis/causes/repeated_state.hpp"
#include "analysis/causes/untrained.hpp"
#include "analysis/causes/varying_sizes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

namespace memviz {

namespace {

constexpr std::uint64_t kOneGiB = 1ULL << 30U;

/// The blocks in use on a device whose request failed.
struct Failed {
  const MemoryState& state;
  const DeviceExplanation& device;
  const Request& request;
  const CallLines& request_lines;
  std::span<const LiveBlock> blocks;

  [[nodiscard]] bool asks_with(std::uint64_t marks) const { return (request_lines.marks & marks) == marks; }
  [[nodiscard]] const EventTable& events() const { return state.recording->events_of(device.device_state.device); }
  /// The events before the request.
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(request.event.value()); }
};

template <class Condition> CauseSum sum_of(const Failed& failed, const Condition& is_part) {
  CauseSum sum;
  for (const LiveBlock& block : failed.blocks)
    if (is_part(block)) sum.add(block);
  return sum;
}

/// A fresh context with its libraries takes less than this.
Cause outside(const Failed& failed) {
  Cause cause;
  cause.kind = CauseKind::outside;
  const MemoryLedger& ledger = failed.device.ledger;
  const bool is_verdict = failed.device.judgement.verdict == Verdict::outside;
  if (is_verdict || !ledger.outside_bytes || !ledger.capacity_bytes || *ledger.outside_bytes < kOneGiB) return cause;
  if (*ledger.outside_bytes - kOneGiB >= *ledger.capacity_bytes / 5) cause.bytes = *ledger.outside_bytes;
  return cause;
}

/// Whether the verdict names free memory that this request could not have, such as that of another stream.
bool is_of_request(Verdict verdict) {
  return verdict == Verdict::stream || verdict == Verdict::private_pool || verdict == Verdict::pending_free ||
         verdict == Verdict::rounding || verdict == Verdict::size_class || verdict == Verdict::idle;
}

/// Returns N if the request is N x N values of this size, which is rounded up to 512 bytes; else 0.
std::uint64_t side_of_square(std::uint64_t bytes, std::uint64_t value_bytes) {
  constexpr std::uint64_t kRounding = 512;
  constexpr std::uint64_t kSmallest = 1000;
  const std::uint64_t values = bytes / value_bytes;
  const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(values)));
  if (side < kSmallest || side > (1ULL << 30U)) return 0;
  const std::uint64_t square_bytes = side * side * value_bytes;
  return square_bytes <= bytes && bytes - square_bytes < kRounding ? side : 0;
}

/// Whether shapes (N, 1) and (N) are alive that would broadcast to N x N values of this size: two tensors of N values,
/// one of them in the precision of the result. One alone is often chance, where N is a power of two.
bool has_both_sides(const Failed& failed, std::uint64_t side, std::uint64_t value_bytes) {
  const auto has_side = [&](const LiveBlock& block) {
    const std::uint64_t bytes = block.bytes / side;
    return !block.is_lasting() && block.bytes % side == 0 && std::has_single_bit(bytes) && bytes <= 8;
  };
  const auto is_of_result = [&](const LiveBlock& block) {
    return !block.is_lasting() && block.bytes == side * value_bytes;
  };
  return std::ranges::count_if(failed.blocks, has_side) >= 2 && std::ranges::any_of(failed.blocks, is_of_result);
}

Cause large_request(const Failed& failed) {
  Cause cause;
  cause.kind = CauseKind::large_request;
  cause.line = failed.request_lines.line;
  if (failed.request.bytes < failed.device.device_state.figures.requested_bytes) return cause;
  for (const std::uint64_t value_bytes : {4U, 2U, 8U, 1U}) {
    const std::uint64_t side = side_of_square(failed.request.bytes, value_bytes);
    if (side == 0 || !has_both_sides(failed, side, value_bytes)) continue;
    cause.bytes = failed.request.bytes;
    cause.has_request = true;
    cause.square_of = side;
    cause.value_bytes = value_bytes;
    return cause;
  }
  return cause;
}

/// Whether an optimizer's foreach implementation makes it, and it is not the optimizer's state.
bool is_foreach_temporary(const CallLines& lines) {
  return (lines.marks & cause_mark::foreach) != 0 && (lines.marks & (mark::init_state | mark::load_state)) == 0;
}

Cause foreach_temporaries(const Failed& failed) {
  if (!is_foreach_temporary(failed.request_lines)) return {CauseKind::foreach_temporaries};
  CauseSum sum = sum_of(failed, [](const LiveBlock& block) { return is_foreach_temporary(*block.lines); });
  sum.add(failed.request, failed.request_lines);
  Cause cause = sum.cause(CauseKind::foreach_temporaries);
  const std::uint64_t all_bytes = failed.device.kinds[static_cast<std::size_t>(MemoryKind::gradient)].bytes;
  cause.to_come_bytes = all_bytes - std::min(all_bytes, cause.bytes);
  return cause;
}

/// Sums the blocks of one tensor, its copies and what is computed from it, except what earlier calls left.
Cause of_one_tensor(const Failed& failed, CauseKind kind, const std::unordered_set<std::uint64_t>& kept) {
  const OneTensor tensor(kind, failed.state.frames(), failed.blocks, failed.request, failed.request_lines);
  CauseSum sum = sum_of(failed, [&](const LiveBlock& block) {
    if (kept.contains(block.address)) return false;
    return tensor.is_marked(*block.lines) || (!block.is_lasting() && tensor.has(*block.lines, block.bytes));
  });
  if (tensor.has(failed.request_lines, failed.request.bytes)) sum.add(failed.request, failed.request_lines);
  Cause cause = sum.cause(kind);
  cause.is_own_attention = tensor.is_own_attention();
  return cause;
}

constexpr std::uint64_t kRecomputes = cause_mark::recompute_file | cause_mark::recomputes;

/// Returns the latest line that called a checkpoint of the same function when that ran forward: the stack of a
/// recomputation does not have it.
std::optional<FrameId> checkpoint_line(const Failed& failed, const CheckpointCall& recomputed, CallLineFinder& finder) {
  if (!recomputed.function) return std::nullopt;
  const FrameTable& frames = failed.state.frames();
  const auto function_of = [&](FrameId id) { return std::pair(frames.frame(id).filename, frames.frame(id).name); };
  const EventTable& events = failed.events();
  for (std::size_t i = failed.count(); i > 0; --i) {
    if (events.action(i - 1) != Action::alloc) continue;
    const CallLines& lines = finder.of(events.stack(i - 1));
    const CheckpointCall& call = lines.checkpoint;
    const bool runs_forward = call.function && call.line && (lines.marks & kRecomputes) != kRecomputes;
    if (runs_forward && function_of(*call.function) == function_of(*recomputed.function)) return call.line;
  }
  return std::nullopt;
}

Cause recomputed(const Failed& failed, CallLineFinder& finder) {
  if (!failed.asks_with(kRecomputes) && !failed.asks_with(mark::engine)) return {CauseKind::recomputed};
  const auto is_part = [](const LiveBlock& block) { return block.has(kRecomputes); };
  Cause cause = sum_of(failed, is_part).cause(CauseKind::recomputed);
  const auto first = std::ranges::find_if(failed.blocks, is_part);
  if (first == failed.blocks.end()) return cause;
  if (const auto line = checkpoint_line(failed, first->lines->checkpoint, finder)) cause.line.caller = line;
  return cause;
}

/// Whether most of the blocks with these marks have a parameter of their size elsewhere.
bool have_parameters_of_their_sizes(const Failed& failed, std::uint64_t marks) {
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (const LiveBlock& block : failed.blocks)
    if (!block.has(marks) && block.kind == MemoryKind::parameter) ++sizes[block.bytes];
  std::uint64_t bytes = 0;
  std::uint64_t same_bytes = 0;
  for (const LiveBlock& block : failed.blocks) {
    if (!block.has(marks)) continue;
    bytes += block.bytes;
    if (sizes.contains(block.bytes)) same_bytes += block.bytes;
  }
  return same_bytes > bytes / 10 * 8;
}

Cause second_weights(const Failed& failed, CauseKind kind, std::uint64_t marks) {
  if (!have_parameters_of_their_sizes(failed, marks)) return {kind};
  return sum_of(failed, [&](const LiveBlock& block) { return block.has(marks); }).cause(kind);
}

Cause gathered(const Failed& failed) {
  constexpr std::uint64_t kMarks = cause_mark::gathers | cause_mark::gather_file;
  CauseSum sum = sum_of(failed, [](const LiveBlock& block) { return block.has(kMarks); });
  if (failed.asks_with(kMarks)) sum.add(failed.request, failed.request_lines);
  return sum.cause(CauseKind::gathered);
}

Cause concatenation(const Failed& failed) {
  if (!failed.asks_with(mark::cat) || failed.request_lines.is_in_module) return {CauseKind::concatenation};
  CauseSum sum = sum_of(failed, [&](const LiveBlock& block) {
    return block.has(mark::cat) && block.lines->line.line == failed.request_lines.line.line;
  });
  sum.add(failed.request, failed.request_lines);
  return sum.cause(CauseKind::concatenation);
}

Cause fragmentation(const Failed& failed) {
  Cause cause;
  cause.kind = CauseKind::fragmentation;
  const MemoryLedger& ledger = failed.device.ledger;
  if (failed.device.judgement.verdict == Verdict::fragmentation && ledger.is_fragmented())
    cause.bytes = ledger.room.hard_bytes;
  return cause;
}

/// Whether a pass made it for its own use.
bool is_of_pass(const LiveBlock& block) {
  const bool is_other = block.is_lasting() || block.kind == MemoryKind::input || block.kind == MemoryKind::kv_cache;
  return !is_other && block.lines->is_in_module && !block.has(mark::engine);
}

Cause activations(const Failed& failed, std::span<const EventIndex> backward, CallLineFinder& finder) {
  constexpr std::uint64_t kFewest = 3;
  std::vector<LiveBlock> pass;
  std::vector<LiveBlock> parameters;
  CauseSum sum;
  for (const LiveBlock& block : failed.blocks) {
    if (block.kind == MemoryKind::parameter) parameters.push_back(block);
    if (!is_of_pass(block)) continue;
    pass.push_back(block);
    sum.add(block);
  }
  Cause cause = sum.cause(CauseKind::activations);
  if (cause.blocks < kFewest) return {CauseKind::activations};
  const bool trains = failed.device.first_step && failed.device.first_step->shows_training;
  cause.has_backward = trains || has_backward(failed.events(), backward, failed.request_lines, pass, finder);
  cause.keeps_graph = keeps_graph(pass);
  // A pass before shows what is to come more exactly (PassNeed).
  if (failed.device.pass && !failed.device.pass->is_least()) return cause;
  const Layers layers = find_layers(parameters, pass, failed.request.stack);
  cause.layers = layers.count;
  cause.layers_done = layers.done;
  cause.keeps_graph |= layers.done > 1;
  cause.to_come_bytes = layers.to_come_bytes;
  return cause;
}

/// The gradient of a table: nn.Embedding makes it as large as its weight, unless it is sparse.
Cause dense_gradient(const Failed& failed) {
  std::set<std::uint64_t> tables;
  for (const LiveBlock& block : failed.blocks)
    if (block.kind == MemoryKind::parameter) tables.insert(block.bytes);
  return sum_of(failed,
                [&](const LiveBlock& block) {
                  return block.kind == MemoryKind::gradient && block.has(cause_mark::embedding_backward) &&
                         tables.contains(block.bytes);
                })
      .cause(CauseKind::dense_gradient);
}

bool is_training_state(const LiveBlock& block) {
  return block.kind == MemoryKind::gradient || block.kind == MemoryKind::optimizer_state;
}

Cause training_state(const Failed& failed) {
  return sum_of(failed, is_training_state).cause(CauseKind::training_state);
}

Cause weights(const Failed& failed) {
  return sum_of(failed, [](const LiveBlock& block) { return block.kind == MemoryKind::parameter; })
      .cause(CauseKind::weights);
}

/// Returns what is kept for parameters without an optimizer, unless the pass, the state of training or the weights are
/// more without it.
Cause of_untrained(const Failed& failed, const Untrained& untrained) {
  const auto is_part = [&](const LiveBlock& block) { return untrained.blocks.contains(block.address); };
  Cause cause = sum_of(failed, is_part).cause(CauseKind::untrained);
  cause.calls = untrained.parameters;
  const auto is_more = [&](const auto& is_usual_part) {
    const auto is_rest = [&](const LiveBlock& block) { return is_usual_part(block) && !is_part(block); };
    return sum_of(failed, is_rest).cause(CauseKind::untrained).bytes > cause.bytes;
  };
  const auto is_weight = [](const LiveBlock& block) { return block.kind == MemoryKind::parameter; };
  return is_more(is_of_pass) || is_more(is_training_state) || is_more(is_weight) ? Cause{CauseKind::untrained} : cause;
}

/// Adds growth from step to step, unless a cause of the same line or calls that are kept explain most of it.
void add_growth(std::vector<Cause>& causes, const DeviceExplanation& device, CallLineFinder& finder) {
  if (!device.leak) return;
  Cause growth{.kind = CauseKind::growth};
  growth.bytes = device.leak->bytes_per_step * device.leak->steps;
  growth.calls = device.leak->steps;
  growth.line = finder.of(device.leak->stack).line;
  const bool is_explained = std::ranges::any_of(causes, [&](const Cause& cause) {
    const bool is_kept = cause.kind == CauseKind::kept_graphs || cause.kind == CauseKind::kept_outputs;
    const bool is_its_line = cause.line.line && cause.line.line == growth.line.line;
    return (is_kept || is_its_line) && cause.bytes >= growth.bytes / 2;
  });
  if (!is_explained) causes.push_back(growth);
}

/// Puts memory in pieces first unless a mistake explains more. Blocks may be kept for good reason, so
/// these explain more only if they are most of what is in use.
void lead_with_pieces(std::vector<Cause>& causes, std::uint64_t wanted_bytes) {
  const auto pieces = std::ranges::find(causes, CauseKind::fragmentation, &Cause::kind);
  if (pieces == causes.end()) return;
  const bool is_explained = std::any_of(causes.begin(), pieces, [&](const Cause& cause) {
    const bool may_be_right = cause.kind == CauseKind::kept_outputs || cause.kind == CauseKind::made_at_once;
    return !may_be_right || cause.bytes > wanted_bytes / 2;
  });
  if (!is_explained) std::rotate(causes.begin(), pieces, pieces + 1);
}

std::vector<Cause> all_causes(const Failed& failed, CallLineFinder& finder) {
  KeptCalls kept = kept_calls({failed.events(), failed.count(), failed.blocks}, finder);
  std::vector<Cause> causes = std::move(kept.causes);
  causes.push_back(outside(failed));
  causes.push_back(large_request(failed));
  causes.push_back(earlier_failure(failed.events(), failed.count(), failed.blocks, finder));
  causes.push_back(foreach_temporaries(failed));
  causes.push_back(of_one_tensor(failed, CauseKind::logits, kept.blocks));
  causes.push_back(of_one_tensor(failed, CauseKind::attention_scores, kept.blocks));
  causes.push_back(recomputed(failed, finder));
  causes.push_back(second_weights(failed, CauseKind::copied_weights, cause_mark::deep_copy | cause_mark::copy_file));
  causes.push_back(second_weights(failed, CauseKind::loaded_weights, mark::checkpoint_file));
  causes.push_back(gathered(failed));
  causes.push_back(concatenation(failed));
  add_growth(causes, failed.device, finder);
  causes.push_back(dense_gradient(failed));
  causes.push_back(repeated_state(failed.blocks, kept.backward));
  const Untrained untrained = find_untrained(failed.state, failed.device.device_state.device, !kept.backward.empty());
  causes.push_back(of_untrained(failed, untrained));
  causes.push_back(fragmentation(failed));
  causes.push_back(activations(failed, kept.backward, finder));
  causes.back().is_first_training = untrained.has_optimizer && kept.backward.empty();
  causes.push_back(training_state(failed));
  if (causes.back().bytes == 0) causes.push_back(weights(failed));
  return causes;
}

} // namespace

bool is_usual(CauseKind kind) {
  return kind == CauseKind::activations || kind == CauseKind::training_state || kind == CauseKind::weights;
}

std::string_view cause_name(CauseKind kind) {
  constexpr std::array<std::string_view, kCauseKinds> kCauseNames{
      "outside",       "large_request",    "kept_graphs",  "kept_outputs",   "earlier_failure", "foreach_temporaries",
      "logits",        "attention_scores", "recomputed",   "copied_weights", "loaded_weights",  "gathered",
      "growth",        "concatenation",    "made_at_once", "dense_gradient", "repeated_state",  "untrained",
      "fragmentation", "varying_sizes",    "activations",  "training_state", "weights"};
  return kCauseNames[static_cast<std::size_t>(kind)];
}

namespace {

/// A cause is named from this part of all that is in use and requested, one in so many. The optimizer's temporaries
/// have just begun when the request for one of them fails.
std::uint64_t least_part(CauseKind kind) {
  if (is_usual(kind)) return 3;
  if (kind == CauseKind::dense_gradient) return 5;
  return kind == CauseKind::foreach_temporaries ? 20 : kLeastPartOfCause;
}

/// Returns the causes of what a program holds that has not failed: what it keeps, and what it reserves in vain.
std::vector<Cause> causes_of_use(const MemoryState& state, const DeviceExplanation& device, CallLineFinder& finder) {
  std::vector<Cause> causes = kept_at_moment(state, device.device_state, finder);
  add_growth(causes, device, finder);
  if (causes.empty() && !device.device_state.are_segments_made_up)
    if (auto varying = varying_sizes(state, device.device_state, finder)) causes.push_back(*varying);
  return causes;
}

} // namespace

std::vector<Cause> find_causes(const MemoryState& state, const DeviceExplanation& device,
                               std::span<const LiveBlock> blocks, CallLineFinder& finder) {
  if (!device.request) return causes_of_use(state, device, finder);
  if (is_of_request(device.judgement.verdict)) return {};
  const Failed failed{state, device, *device.request, finder.of(device.request->stack), blocks};
  std::vector<Cause> causes = all_causes(failed, finder);
  const std::uint64_t wanted_bytes = device.device_state.figures.requested_bytes + device.request->bytes;
  std::erase_if(causes, [&](const Cause& cause) {
    const std::uint64_t least_bytes = wanted_bytes / least_part(cause.kind);
    return cause.bytes == 0 || (cause.kind != CauseKind::fragmentation && cause.bytes < least_bytes);
  });
  std::ranges::stable_sort(causes, std::ranges::greater(), &Cause::bytes);
  std::stable_partition(causes.begin(), causes.end(), [](const Cause& cause) { return !is_usual(cause.kind); });
  lead_with_pieces(causes, wanted_bytes);
  return causes;
}

} // namespace memviz
