#pragma once

// Memory that lasts, in the order in which it was made, and the sizes that modules request -> the weights of repeated
// layers, in a recording that makes no gradients, whose sizes would show them.

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace memviz {

/// A block that lives to the recording's end, and that was made before its first forward pass.
struct LastingBlock {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
};

/// Returns the addresses of the weights, in ascending order. `lasting` is in the order in which it was made.
///
/// The evidence is a run of at least four equal layers: the same four or more sizes in the same order, two or more of
/// them matrices. Each layer has a vector (a norm, a bias) whose size shows the width w of the model; a matrix of n
/// times a vector has n outputs, so for rows of w elements modules request as many rows of n elements. This excludes
/// what else may repeat: a cache of keys and values has one or two sizes per layer, and one that lies between the
/// weights has the size of no output; nor has a data set. An optimizer's state, gradients and other copies of the model
/// have the weights' sizes, or are a second such run, and then nothing shows which is which.
[[nodiscard]] std::vector<std::uint64_t> find_layer_weights(std::span<const LastingBlock> lasting,
                                                            const std::set<std::uint64_t>& requested_by_modules);

} // namespace memviz
