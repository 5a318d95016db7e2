#include "analysis/explain/pass_memory.hpp"

#include <algorithm>
#include <map>

namespace memviz {

namespace {

bool is_activation(const LiveBlock& block) {
  return block.kind == MemoryKind::activation || (block.kind == MemoryKind::unknown && block.lines->is_in_module);
}

bool is_loaded(const LiveBlock& block) {
  return block.has(mark::checkpoint_file);
}

/// Whether checkpointing a layer can free it.
bool is_in_layer(const LiveBlock& block) {
  constexpr std::uint64_t kRecomputed = cause_mark::recompute_file | cause_mark::recomputes;
  return is_activation(block) && !is_loaded(block) && !block.has(cause_mark::loss) && !block.has(kRecomputed);
}

struct SameStack {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

/// Returns the number of layers: that of blocks of most bytes' stacks.
std::uint64_t layer_count(const std::map<std::uint32_t, SameStack>& stacks) {
  std::map<std::uint64_t, std::uint64_t> bytes_by_count;
  for (const auto& [stack, same] : stacks)
    if (same.blocks > 1) bytes_by_count[same.blocks] += same.bytes;
  const auto most = std::ranges::max_element(bytes_by_count, {}, [](const auto& entry) { return entry.second; });
  return most == bytes_by_count.end() ? 0 : most->first;
}

std::uint64_t checkpointing_bytes(std::span<const LiveBlock> pass) {
  std::map<std::uint32_t, SameStack> stacks;
  for (const LiveBlock& block : pass) {
    if (!is_in_layer(block)) continue;
    SameStack& same = stacks[block.stack.value];
    ++same.blocks;
    same.bytes += block.bytes;
  }
  const std::uint64_t layers = layer_count(stacks);
  if (layers == 0) return 0;
  std::uint64_t freed_bytes = 0;
  std::uint64_t handed_on_bytes = 0; // the last block of each layer
  std::uint64_t last_bytes = 0;
  std::uint32_t first_stack = 0;
  bool has_first = false;
  for (const LiveBlock& block : pass) {
    if (!is_in_layer(block)) continue;
    const SameStack& same = stacks[block.stack.value];
    if (same.blocks < 2) continue;
    freed_bytes += block.bytes - block.bytes / same.blocks;
    if (same.blocks == layers && !has_first) first_stack = block.stack.value;
    has_first |= same.blocks == layers;
    if (has_first && block.stack.value == first_stack) handed_on_bytes += last_bytes;
    last_bytes = block.bytes;
  }
  handed_on_bytes += last_bytes;
  return freed_bytes - std::min(freed_bytes, handed_on_bytes);
}

} // namespace

PassMemory pass_memory(std::span<const LiveBlock> blocks, EventIndex start) {
  PassMemory memory;
  for (const LiveBlock& block : blocks)
    if (is_loaded(block) && block.kind != MemoryKind::parameter) memory.loaded_bytes += block.bytes;
  const auto first = std::ranges::find_if(blocks, [&](const LiveBlock& block) {
    return start.is_none() ? block.kind == MemoryKind::activation : !(block.alloc_event < start);
  });
  const std::span<const LiveBlock> pass(first, blocks.end());
  for (const LiveBlock& block : pass)
    if (!block.is_lasting() && block.kind != MemoryKind::input && !is_loaded(block)) memory.kept_bytes += block.bytes;
  memory.checkpointing_bytes = checkpointing_bytes(pass);
  return memory;
}

} // namespace memviz
