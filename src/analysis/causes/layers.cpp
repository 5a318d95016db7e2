#include "analysis/causes/layers.hpp"

#include <algorithm>
#include <cstddef>

namespace memviz {

namespace {

/// A sequence that repeats: items[first + i] equals items[first + period + i].
struct Run {
  std::size_t period = 0;
  std::size_t length = 0;

  [[nodiscard]] std::uint64_t count() const { return period == 0 ? 0 : length / period; }
};

/// Blocks beyond these, and longer periods, are not searched.
constexpr std::size_t kMostBlocks = 20'000;
constexpr std::size_t kLongestPeriod = 512;

template <class IsSame> Run best_run(std::span<const LiveBlock> blocks, bool ends_with_blocks, const IsSame& is_same) {
  blocks = blocks.last(std::min(blocks.size(), kMostBlocks));
  Run best;
  for (std::size_t period = 1; period <= std::min(kLongestPeriod, blocks.size() / 2); ++period) {
    std::size_t equal = 0;
    for (std::size_t i = blocks.size() - period; i > 0; --i) {
      const bool same = is_same(blocks[i - 1], blocks[i - 1 + period]);
      equal = same ? equal + 1 : 0;
      if (!same && ends_with_blocks) break;
      if (equal >= period && equal + period > best.length) best = {period, equal + period};
    }
  }
  return best;
}

} // namespace

Layers find_layers(std::span<const LiveBlock> parameters, std::span<const LiveBlock> pass, StackId next) {
  const auto is_same_size = [](const LiveBlock& one, const LiveBlock& other) { return one.bytes == other.bytes; };
  const auto is_same = [](const LiveBlock& one, const LiveBlock& other) {
    return one.stack == other.stack && one.bytes == other.bytes;
  };
  const Run of_pass = best_run(pass, true, is_same);
  Layers layers;
  layers.done = of_pass.count();
  const std::span<const LiveBlock> layer = pass.last(of_pass.period);
  if (std::ranges::find(layer, next, &LiveBlock::stack) == layer.end()) return layers;
  const Run of_parameters = best_run(parameters, false, is_same_size);
  if (layers.done < 2 || of_parameters.count() <= layers.done) return layers;
  layers.count = of_parameters.count();
  for (const LiveBlock& block : layer)
    layers.to_come_bytes += block.bytes * layers.count;
  for (const LiveBlock& block : pass.last(of_pass.length))
    layers.to_come_bytes -= std::min(layers.to_come_bytes, block.bytes);
  return layers;
}

} // namespace memviz
