#pragma once

// A made-up training program, step by step: real leaks, and patterns that only look like one. The same seed gives the
// same program everywhere.

#include "support/small_snapshot.hpp"

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <utility>

namespace memviz::test {

/// Random numbers, the same with every standard library.
class Dice {
public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// Returns 0 to 1, excluding 1.
  [[nodiscard]] double share() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  [[nodiscard]] std::uint64_t below(std::uint64_t end) { return engine_() % end; }
  [[nodiscard]] bool chance(double probability) { return share() < probability; }
  /// Returns the number of arrivals if `mean` are expected.
  [[nodiscard]] std::uint64_t arrivals(double mean) {
    std::uint64_t count = 0;
    for (double product = share(); product > std::exp(-mean); product *= share())
      ++count;
    return count;
  }
  /// Returns a number with mean 0 and variance 1.
  [[nodiscard]] double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += share();
    return sum;
  }

private:
  std::mt19937_64 engine_;
};

class AllocatingProgram {
public:
  explicit AllocatingProgram(std::uint64_t seed) : dice(seed) {
    work_ = snapshot_.stack({"/app/train.py:1:main", "/app/model.py:2:forward"});
    kept_ = snapshot_.stack({"/app/train.py:1:main", "/app/cache.py:3:put"});
    backward_ = snapshot_.stack({"/usr/torch/engine.cpp:9:torch::autograd::Engine::evaluate_function()"});
  }

  /// The address and the size of a block that the line holds; oldest first.
  using Block = std::pair<std::uint64_t, std::uint64_t>;
  std::deque<Block> held;
  Dice dice;

  void keep(std::uint64_t bytes) {
    next_address_ += 512;
    snapshot_.event(Action::alloc, next_address_, bytes, kept_);
    held.emplace_back(next_address_, bytes);
  }
  void drop(std::size_t place) {
    free(held[place]);
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(place));
  }
  /// Allocates on the same line, permanently.
  void leak(std::uint64_t bytes) {
    next_address_ += 512;
    snapshot_.event(Action::alloc, next_address_, bytes, kept_);
  }

  /// Runs `turn` once per step, with its number; `warm_up` times before the first mark, from -warm_up on.
  Recording run(int steps, int warm_up, const std::function<void(AllocatingProgram&, int step)>& turn) {
    for (int step = -warm_up; step < steps; ++step) {
      snapshot_.time(1000 * (step + warm_up + 1));
      if (step >= 0) snapshot_.mark("train_step");
      snapshot_.event(Action::alloc, 0x100, 4096, work_);
      turn(*this, step);
      snapshot_.event(Action::alloc, 0x2100, 4096, backward_);
      free({0x2100, 4096});
      free({0x100, 4096});
    }
    return snapshot_.take();
  }

private:
  void free(const Block& block) {
    snapshot_.event(Action::free_requested, block.first, block.second);
    snapshot_.event(Action::free_completed, block.first, block.second);
  }

  SmallSnapshot snapshot_;
  StackId work_;
  StackId kept_;
  StackId backward_;
  std::uint64_t next_address_ = 0x10000;
};

} // namespace memviz::test
