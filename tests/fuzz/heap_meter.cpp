#include "heap_meter.hpp"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::atomic<std::size_t> used_bytes{0};
std::atomic<std::size_t> peak_bytes{0};
std::atomic<std::size_t> start_bytes{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t bytes = malloc_usable_size(memory);
  const std::size_t used = used_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (used > peak && !peak_bytes.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {}
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  used_bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

std::size_t rounded(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

} // namespace

namespace memviz::fuzz {

void start_heap_meter() {
  start_bytes = used_bytes.load();
  peak_bytes = used_bytes.load();
}

std::size_t heap_peak_bytes() {
  return peak_bytes - start_bytes;
}

} // namespace memviz::fuzz

void* operator new(std::size_t size) {
  return counted(std::malloc(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto bytes = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(bytes, rounded(size, bytes)));
}
// std::stable_sort allocates like this; under AddressSanitizer the library's own would bypass the function above.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(size);
  return memory == nullptr ? nullptr : counted(memory);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
