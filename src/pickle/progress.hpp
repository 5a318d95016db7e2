#pragma once

// Reports to a listener every few megabytes how far a reader has come.

#include <cstdint>
#include <functional>
#include <utility>

namespace memviz::pickle {

class Progress {
public:
  using Listener = std::function<void(std::uint64_t done_bytes)>;

  explicit Progress(Listener listener = {}) : listener_(std::move(listener)) {
    if (listener_) next_ = kStepBytes;
  }

  void reached(std::uint64_t offset) {
    if (offset < next_) return;
    next_ = offset + kStepBytes;
    listener_(offset);
  }

private:
  static constexpr std::uint64_t kStepBytes = std::uint64_t{4} << 20U;

  Listener listener_;
  std::uint64_t next_ = ~std::uint64_t{0};
};

} // namespace memviz::pickle
