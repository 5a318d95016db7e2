#include "cpu_counters.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/flat_hash_map.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace memviz::capture {
namespace {

struct Counters {
  std::mutex mutex;
  ska::flat_hash_map<const void*, std::int64_t> live; ///< address -> bytes
  MemoryReading reading;
  c10::Allocator* inner = nullptr;
  c10::DeleterFnPtr inner_deleter = nullptr;
};

/// Never destroyed: tensors in static variables are freed after main() ends.
Counters& counters() {
  static auto* const instance = new Counters;
  return *instance;
}

void note_allocation(const void* data, std::size_t size) noexcept try {
  Counters& all = counters();
  const auto bytes = static_cast<std::int64_t>(size);
  const std::lock_guard lock(all.mutex);
  all.live[data] = bytes;
  all.reading.allocated += bytes;
  all.reading.current += bytes;
  all.reading.peak = std::max(all.reading.peak, all.reading.current);
} catch (...) {
  // Out of host memory for the table: the program's allocation is valid, and is not counted.
}

void note_free(const void* data) noexcept {
  Counters& all = counters();
  const std::lock_guard lock(all.mutex);
  const auto known = all.live.find(data);
  if (known == all.live.end()) return;
  all.reading.freed += known->second;
  all.reading.current -= known->second;
  all.live.erase(known);
}

/// Counts before the memory is released, so that no other thread's allocation at this address is counted first.
void note_and_delete(void* context) {
  if (context == nullptr) return;
  note_free(context);
  counters().inner_deleter(context);
}

class CountingAllocator final : public c10::Allocator {
public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const Counters& all = counters();
    c10::DataPtr data = all.inner->allocate(bytes);
    // Memory with another context or deleter must keep it.
    if (data.get() != nullptr && all.inner_deleter != nullptr && data.get() == data.get_context() &&
        data.compare_exchange_deleter(all.inner_deleter, &note_and_delete)) {
      note_allocation(data.get(), bytes);
    }
    return data;
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return counters().inner_deleter == nullptr ? nullptr : &note_and_delete;
  }
  bool is_simple_data_ptr(const c10::DataPtr& data) const override {
    return counters().inner->is_simple_data_ptr(data);
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    counters().inner->copy_data(to, from, bytes);
  }
};

void install() {
  Counters& all = counters();
  all.inner = c10::GetCPUAllocator();
  all.inner_deleter = all.inner->raw_deleter();
  auto* const allocator = new CountingAllocator; // LibTorch keeps it
  // An allocator of higher priority than ours would stay; one that the program sets later should replace ours.
  for (const std::uint8_t priority : {std::uint8_t{0}, std::uint8_t{255}}) {
    c10::SetCPUAllocator(allocator, priority);
    if (c10::GetCPUAllocator() == allocator) return;
  }
  throw std::runtime_error("LibTorch does not take an allocator that counts the CPU's memory");
}

} // namespace

void install_cpu_counters() {
  static std::once_flag once;
  std::call_once(once, install);
}

MemoryReading read_cpu() {
  const std::lock_guard lock(counters().mutex);
  return counters().reading;
}

void reset_cpu_peak() {
  const std::lock_guard lock(counters().mutex);
  counters().reading.peak = counters().reading.current;
}

} // namespace memviz::capture
