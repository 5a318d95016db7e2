#pragma once

// The native call stack of the calling thread, as raw return addresses.

#include "environment.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace memviz::inject {

/// A value on the caller's stack: taking one allocates nothing.
class CallStack {
public:
  /// Takes at most `depth` return addresses, innermost first. Reads the unwind tables (_Unwind_Backtrace), so that it
  /// can walk through code without frame pointers, such as the driver.
  explicit CallStack(std::size_t depth);
  [[nodiscard]] std::span<void* const> addresses() const { return {addresses_.data(), size_}; }

private:
  std::array<void*, capture::kMaxStackDepth> addresses_; ///< the first size_ are set
  std::size_t size_ = 0;
};

} // namespace memviz::inject
