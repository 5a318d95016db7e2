#include "analysis/causes/one_tensor.hpp"

#include <algorithm>

namespace memviz {

namespace {

/// Whether a size is that of the same tensor, up to the allocator's rounding of requests.
bool is_same(std::uint64_t bytes, std::uint64_t other_bytes) {
  constexpr std::uint64_t kRounding = 512;
  return bytes < other_bytes + kRounding && other_bytes < bytes + kRounding;
}

} // namespace

bool is_same_or_other_precision(std::uint64_t bytes, std::uint64_t other_bytes) {
  return is_same(bytes, other_bytes) || is_same(bytes, other_bytes / 2) || is_same(bytes, other_bytes * 2);
}

OneTensor::OneTensor(CauseKind kind, const FrameTable& frames, std::span<const LiveBlock> blocks,
                     const Request& request, const CallLines& asks)
    : kind_(kind), frames_(frames), mark_(kind == CauseKind::logits ? cause_mark::loss : cause_mark::softmax) {
  const auto is_of_module = [&](const CallLines& lines) { return lines.is_in_module && (lines.marks & mark_) != 0; };
  is_outside_modules_ = !is_of_module(asks) && std::ranges::none_of(blocks, [&](const LiveBlock& block) {
    return is_of_module(*block.lines);
  });
  add_marked(blocks, request, asks);
  if (kind == CauseKind::logits || largest_bytes_ == 0) return;
  has_forward_ = true;
  add_marked(blocks, request, asks);
  const auto is_logits = [&](const CallLines& lines, std::uint64_t bytes) {
    return (lines.marks & cause_mark::loss) != 0 && is_same_or_other_precision(bytes, largest_bytes_);
  };
  const bool are_layers = has_layers(blocks);
  if (are_layers && !is_outside_modules_) return;
  is_of_logits_ =
      (is_outside_modules_ && !are_layers) || is_logits(asks, request.bytes) ||
      std::ranges::any_of(blocks, [&](const LiveBlock& block) { return is_logits(*block.lines, block.bytes); });
}

/// Whether softmax is alive as often as the layers of a model make it, which logits have once.
bool OneTensor::has_layers(std::span<const LiveBlock> blocks) const {
  constexpr std::ptrdiff_t kFewest = 3;
  return std::ranges::count_if(blocks, [&](const LiveBlock& block) {
           return is_marked(*block.lines) && !block.has(mark::engine) && is_same(block.bytes, largest_bytes_);
         }) >= kFewest;
}

void OneTensor::add_marked(std::span<const LiveBlock> blocks, const Request& request, const CallLines& asks) {
  if (is_marked(asks)) add(asks, request.bytes);
  for (const LiveBlock& block : blocks)
    if (is_marked(*block.lines)) add(*block.lines, block.bytes);
}

bool OneTensor::is_marked(const CallLines& lines) const {
  if (is_of_logits_ || (lines.marks & mark_) == 0) return false;
  return kind_ == CauseKind::logits || lines.is_in_module || is_outside_modules_ ||
         (has_forward_ && (lines.marks & mark::engine) != 0);
}

void OneTensor::add(const CallLines& lines, std::uint64_t bytes) {
  if (bytes > largest_bytes_) is_own_attention_ = (lines.marks & cause_mark::own_attention) != 0;
  largest_bytes_ = std::max(largest_bytes_, bytes);
  if (lines.line.line) functions_.insert(function_of(lines));
}

OneTensor::Function OneTensor::function_of(const CallLines& lines) const {
  const Frame& frame = frames_.frame(*lines.line.line);
  return {frame.filename.value, frame.name.value};
}

bool OneTensor::has(const CallLines& lines, std::uint64_t bytes) const {
  if (is_marked(lines)) return true;
  if (largest_bytes_ == 0 || is_of_logits_) return false;
  if (kind_ == CauseKind::logits) return is_same_or_other_precision(bytes, largest_bytes_);
  const bool is_of_function = functions_.empty() || (lines.line.line && functions_.contains(function_of(lines)));
  return is_of_function && is_same(bytes, largest_bytes_);
}

} // namespace memviz
