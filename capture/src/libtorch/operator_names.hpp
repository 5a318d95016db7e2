#pragma once

// LibTorch's running operators, per thread: what at::RecordFunction reports, kept as a stack of names, so that an
// allocation can say which operators it was made for. Scopes of the user (RECORD_USER_SCOPE) become annotations
// instead.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace memviz::capture {

/// One thread's running operators. Names are copied: an operator may end in another thread, and then its name is gone.
struct OperatorStack {
  static constexpr std::size_t kMaxDepth = 32;
  struct Entry {
    const void* function; ///< the at::RecordFunction, to find the entry when it ends
    std::uint8_t length;
    std::array<char, 103> characters;
    [[nodiscard]] std::string_view name() const { return {characters.data(), length}; }
  };

  [[nodiscard]] std::span<const Entry> outermost_first() const { return {entries.data(), depth}; }

  std::array<Entry, kMaxDepth> entries;
  std::size_t depth;
};

/// Of the calling thread; empty while nothing watches.
[[nodiscard]] const OperatorStack& running_operators();

/// Is told the name of a user's scope and "START" or "END".
using ScopeObserver = void (*)(std::string_view name, const char* stage);

/// Watches every thread's operators (where `operators`) and users' scopes until stop_watching_operators().
void watch_operators(bool operators, ScopeObserver observer);
void stop_watching_operators();

} // namespace memviz::capture
