#include "analysis/causes/large_tensors.hpp"

#include "analysis/causes/one_tensor.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace memviz {

namespace {

using Function = std::pair<std::uint32_t, std::uint32_t>; ///< file and name

std::optional<Function> function_of(const FrameTable& frames, const CallLines& lines) {
  if (!lines.line.line) return std::nullopt;
  const Frame& frame = frames.frame(*lines.line.line);
  return Function(frame.filename.value, frame.name.value);
}

bool may_be_large(const LiveBlock& block) {
  return !block.is_lasting() && block.kind != MemoryKind::kv_cache && block.lines->line.line;
}

} // namespace

Cause large_tensors(const FrameTable& frames, std::span<const LiveBlock> blocks, const Request& request,
                    const CallLines& asks) {
  constexpr std::uint64_t kMost = 4;
  const LiveBlock* largest = nullptr;
  std::uint64_t all_bytes = request.bytes;
  for (const LiveBlock& block : blocks) {
    all_bytes += block.bytes;
    if (may_be_large(block) && (largest == nullptr || block.bytes > largest->bytes)) largest = &block;
  }
  if (largest == nullptr) return {CauseKind::large_tensors};
  const auto function = function_of(frames, *largest->lines);
  const auto is_part = [&](const CallLines& lines, std::uint64_t bytes) {
    return is_same_or_other_precision(bytes, largest->bytes) && function_of(frames, lines) == function;
  };
  CauseSum sum;
  std::uint64_t of_modules = 0; // several are the layers of a pass
  for (const LiveBlock& block : blocks) {
    if (!may_be_large(block) || !is_part(*block.lines, block.bytes)) continue;
    sum.add(block);
    if (block.lines->is_in_module) ++of_modules;
  }
  if (is_part(asks, request.bytes)) {
    sum.add(request, asks);
    if (asks.is_in_module) ++of_modules;
  }
  Cause cause = sum.cause(CauseKind::large_tensors);
  cause.is_in_module = largest->lines->is_in_module;
  const std::uint64_t tensors = cause.blocks + (cause.has_request ? 1 : 0);
  return tensors <= kMost && of_modules <= 1 && cause.bytes > all_bytes / 2 ? cause : Cause{CauseKind::large_tensors};
}

Cause unfused(std::span<const LiveBlock> blocks) {
  constexpr std::size_t kFewest = 4;
  struct Results {
    CauseSum sum;
    std::uint64_t bytes = 0;
    std::size_t of_call = 0;
  };
  const auto is_result = [](const LiveBlock& block) {
    return !block.is_lasting() && block.lines->is_in_module && block.lines->is_direct;
  };
  std::map<FrameId, Results> lines;
  for (auto first = blocks.begin(); first != blocks.end();) {
    const auto end = std::find_if(first, blocks.end(), [&](const LiveBlock& block) {
      return block.lines->line.line != first->lines->line.line || block.bytes != first->bytes || !is_result(block);
    });
    const auto count = static_cast<std::size_t>(end - first);
    if (count >= kFewest) {
      Results& results = lines[*first->lines->line.line];
      for (const LiveBlock& block : std::span(first, end)) {
        results.sum.add(block);
        results.bytes += block.bytes;
      }
      results.of_call = std::max(results.of_call, count);
    }
    first = end == first ? first + 1 : end;
  }
  const auto most = std::ranges::max_element(lines, {}, [](const auto& line) { return line.second.bytes; });
  if (most == lines.end()) return {CauseKind::unfused};
  Cause cause = most->second.sum.cause(CauseKind::unfused);
  cause.calls = most->second.of_call;
  return cause;
}

} // namespace memviz
