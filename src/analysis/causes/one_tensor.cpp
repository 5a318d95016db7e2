#include "analysis/causes/one_tensor.hpp"

#include <algorithm>

namespace memviz {

namespace {

/// Whether a size is that of the same tensor, up to the allocator's rounding of requests.
bool is_same(std::uint64_t bytes, std::uint64_t other_bytes) {
  constexpr std::uint64_t kRounding = 512;
  return bytes < other_bytes + kRounding && other_bytes < bytes + kRounding;
}

bool is_same_or_other_precision(std::uint64_t bytes, std::uint64_t other_bytes) {
  return is_same(bytes, other_bytes) || is_same(bytes, other_bytes / 2) || is_same(bytes, other_bytes * 2);
}

} // namespace

OneTensor::OneTensor(CauseKind kind, const FrameTable& frames, std::span<const LiveBlock> blocks,
                     const Request& request, const CallLines& asks)
    : kind_(kind), frames_(frames), mark_(kind == CauseKind::logits ? cause_mark::loss : cause_mark::softmax) {
  if (is_marked(asks)) add(asks, request.bytes);
  for (const LiveBlock& block : blocks)
    if (block.has(mark_)) add(*block.lines, block.bytes);
}

void OneTensor::add(const CallLines& lines, std::uint64_t bytes) {
  largest_bytes_ = std::max(largest_bytes_, bytes);
  if (lines.line.line) functions_.insert(function_of(lines));
}

OneTensor::Function OneTensor::function_of(const CallLines& lines) const {
  const Frame& frame = frames_.frame(*lines.line.line);
  return {frame.filename.value, frame.name.value};
}

bool OneTensor::has(const CallLines& lines, std::uint64_t bytes) const {
  if (is_marked(lines)) return true;
  if (largest_bytes_ == 0) return false;
  if (kind_ == CauseKind::logits) return is_same_or_other_precision(bytes, largest_bytes_);
  const bool is_of_function = functions_.empty() || (lines.line.line && functions_.contains(function_of(lines)));
  return is_of_function && is_same(bytes, largest_bytes_);
}

} // namespace memviz
