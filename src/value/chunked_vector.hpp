#pragma once

// A vector that grows without copying: its elements are in chunks that never move. For the arrays that reach the size
// of the input, where copies and page faults during growth would cost more than decoding.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace memviz {

template <class T, std::size_t kChunkBits = 16> class ChunkedVector {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return chunks_[index >> kChunkBits][index & kMask]; }
  [[nodiscard]] T& operator[](std::size_t index) { return chunks_[index >> kChunkBits][index & kMask]; }

  void push_back(const T& value) {
    const std::size_t offset = size_ & kMask;
    if (offset == 0 && size_ >> kChunkBits == chunks_.size()) {
      // Not constructed: pages that are never written are never resident, which saves most of a small file's time.
      chunks_.emplace_back(std::allocator<T>().allocate(kChunkSize));
    }
    std::construct_at(&chunks_[size_ >> kChunkBits][offset], value);
    ++size_;
  }

private:
  static constexpr std::size_t kChunkSize = std::size_t{1} << kChunkBits;
  static constexpr std::size_t kMask = kChunkSize - 1;
  struct Deallocate {
    void operator()(T* chunk) const { std::allocator<T>().deallocate(chunk, kChunkSize); }
  };
  std::vector<std::unique_ptr<T[], Deallocate>> chunks_;
  std::size_t size_ = 0;
};

} // namespace memviz
