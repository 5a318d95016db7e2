#include "cpu_allocator_watch.hpp"

#include "native_stack.hpp"
#include "recorder.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/flat_hash_map.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>

namespace memviz::capture {
namespace {

struct Watch {
  std::mutex mutex;
  CpuAllocationListener* listener = nullptr;
  ska::flat_hash_map<std::uint64_t, std::uint64_t> live; ///< address -> bytes
  CpuCounters counters;

  // Read without the lock: what to gather before it is taken.
  std::atomic<bool> operators_of_allocations = false;
  std::atomic<bool> operators_of_frees = false;
  std::atomic<bool> native_of_allocations = false;
  std::atomic<bool> native_of_frees = false;

  c10::Allocator* inner = nullptr;
  c10::DeleterFnPtr inner_deleter = nullptr;
};

/// Never destroyed: tensors in static variables are freed after main() ends.
Watch& watch() {
  static auto* const instance = new Watch;
  return *instance;
}

/// Keeps what a CallSite points to.
class GatheredSite {
public:
  GatheredSite(bool native, bool operators) {
    if (native) native_ = gather_native_stack();
    if (operators) operators_ = running_operators().outermost_first();
  }
  [[nodiscard]] CallSite site() const { return {native_, operators_}; }

private:
  std::vector<void*> native_;
  std::span<const OperatorStack::Entry> operators_;
};

void note_allocation(void* data, std::size_t bytes) noexcept try {
  Watch& w = watch();
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const GatheredSite gathered(w.native_of_allocations, w.operators_of_allocations);
  const std::lock_guard lock(w.mutex);
  w.live[address] = bytes;
  w.counters.allocated += static_cast<std::int64_t>(bytes);
  w.counters.current += static_cast<std::int64_t>(bytes);
  w.counters.peak = std::max(w.counters.peak, w.counters.current);
  if (w.listener != nullptr) w.listener->allocated(address, bytes, gathered.site());
} catch (...) {
  // Out of host memory for the book-keeping: the program's allocation is good, so it stays unseen.
}

void note_free(void* data) noexcept try {
  Watch& w = watch();
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const GatheredSite gathered(w.native_of_frees, w.operators_of_frees);
  const std::lock_guard lock(w.mutex);
  const auto known = w.live.find(address);
  if (known == w.live.end()) return;
  const std::uint64_t bytes = known->second;
  w.live.erase(known);
  w.counters.freed += static_cast<std::int64_t>(bytes);
  w.counters.current -= static_cast<std::int64_t>(bytes);
  if (w.listener != nullptr) w.listener->freed(address, bytes, gathered.site());
} catch (...) {
  // As above: the free itself goes on.
}

/// Before the memory goes back, so that no other thread's allocation at this address is recorded first.
void note_and_delete(void* context) {
  if (context == nullptr) return;
  note_free(context);
  watch().inner_deleter(context);
}

class WatchedAllocator final : public c10::Allocator {
public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const Watch& w = watch();
    c10::DataPtr data = allocate_or_report(bytes);
    // Memory with another context or deleter must keep it.
    if (data.get() == nullptr || w.inner_deleter == nullptr || data.get() != data.get_context() ||
        !data.compare_exchange_deleter(w.inner_deleter, &note_and_delete)) {
      return data;
    }
    note_allocation(data.get(), bytes);
    return data;
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return watch().inner_deleter == nullptr ? nullptr : &note_and_delete;
  }
  bool is_simple_data_ptr(const c10::DataPtr& data) const override { return watch().inner->is_simple_data_ptr(data); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    watch().inner->copy_data(to, from, bytes);
  }

private:
  static c10::DataPtr allocate_or_report(std::size_t bytes) {
    try {
      return watch().inner->allocate(bytes);
    } catch (...) {
      report_out_of_memory(c10::kCPU, bytes);
      throw;
    }
  }
};

void install() {
  Watch& w = watch();
  w.inner = c10::GetCPUAllocator();
  w.inner_deleter = w.inner->raw_deleter();
  auto* const allocator = new WatchedAllocator; // LibTorch keeps it
  // An allocator of higher priority than ours would stay; one that the program sets later should win over ours.
  for (const std::uint8_t priority : {std::uint8_t{0}, std::uint8_t{255}}) {
    c10::SetCPUAllocator(allocator, priority);
    if (c10::GetCPUAllocator() == allocator) return;
  }
  throw std::runtime_error("LibTorch does not let its CPU allocator be watched");
}

} // namespace

void install_cpu_watch() {
  make_fork_safe();
  static std::once_flag once;
  std::call_once(once, install);
}

void listen_to_cpu(CpuAllocationListener& listener, const CallSiteKinds& kinds) {
  Watch& w = watch();
  const std::lock_guard lock(w.mutex);
  w.listener = &listener;
  w.operators_of_allocations = kinds.operators_of_allocations;
  w.operators_of_frees = kinds.operators_of_frees;
  w.native_of_allocations = kinds.native_of_allocations;
  w.native_of_frees = kinds.native_of_frees;
}

void drop_cpu_listener() {
  Watch& w = watch();
  w.listener = nullptr;
  w.operators_of_allocations = w.operators_of_frees = false;
  w.native_of_allocations = w.native_of_frees = false;
}

void stop_listening_to_cpu() {
  const std::lock_guard lock(watch().mutex);
  drop_cpu_listener();
}

CpuCounters cpu_counters() {
  const std::lock_guard lock(watch().mutex);
  return watch().counters;
}

void reset_cpu_peak() {
  const std::lock_guard lock(watch().mutex);
  watch().counters.peak = watch().counters.current;
}

CpuWatchPause::CpuWatchPause() {
  watch().mutex.lock();
}

CpuWatchPause::~CpuWatchPause() {
  watch().mutex.unlock();
}

std::vector<LiveAllocation> CpuWatchPause::live() const {
  std::vector<LiveAllocation> allocations;
  allocations.reserve(watch().live.size());
  for (const auto& [address, bytes] : watch().live)
    allocations.push_back({address, bytes});
  return allocations;
}

void lock_cpu_watch() {
  watch().mutex.lock();
}

void unlock_cpu_watch() {
  watch().mutex.unlock();
}

} // namespace memviz::capture
