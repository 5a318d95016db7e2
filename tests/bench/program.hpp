#pragma once

// The invented program whose memory the benchmark's snapshots show: its frames, and the stacks at which it allocates
// and frees. Names and depths are like those of real recordings with C++ stacks; frames are shared between stacks,
// outer ones most.

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::bench {

struct Frame {
  std::string name;
  std::string filename;
  std::uint32_t line = 0;
};

struct Program {
  std::vector<Frame> frames;
  /// Frame numbers, innermost first. Those that allocate come before those that free.
  std::vector<std::vector<std::uint32_t>> stacks;
  std::uint32_t allocating_stacks = 0;
};

/// Stacks of 5 to `max_depth` frames; the same for the same arguments.
[[nodiscard]] Program make_program(std::uint64_t seed, std::uint32_t max_depth);

} // namespace memviz::bench
