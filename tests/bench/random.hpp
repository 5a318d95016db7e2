#pragma once

// Numbers that depend on nothing but the seed: the distributions of <random> differ between standard libraries.

#include <cstdint>

namespace memviz::bench {

class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31U);
  }

  /// From 0 to limit - 1.
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(((next() >> 32U) * limit) >> 32U); }

  bool one_in(std::uint32_t count) { return below(count) == 0; }

private:
  std::uint64_t state_;
};

} // namespace memviz::bench
