#include "memviz/capture/allocated_memory.hpp"

#include "cpu_counters.hpp"
#include "cuda_counters.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>

namespace memviz::capture {
namespace {

/// Reads the peak since reset_device_peak(). `device` is the CPU or a CUDA device with an index.
MemoryReading read_device(c10::Device device) {
  return device.is_cuda() ? read_cuda(device) : read_cpu();
}

void reset_device_peak(c10::Device device) {
  if (device.is_cuda()) return reset_cuda_peak(device);
  reset_cpu_peak();
}

/// Allocators have one peak, which each scope resets. The earlier peak of open scopes is kept here, so that an inner
/// scope does not lower the peak of an outer one.
class OpenScopes {
public:
  void enter(const void* scope, c10::Device device) {
    const std::lock_guard lock(mutex_);
    keep_peak(device);
    reset_device_peak(device);
    scopes_.insert_or_assign(scope, Scope{device, 0});
  }
  void leave(const void* scope) {
    const std::lock_guard lock(mutex_);
    scopes_.erase(scope);
  }
  [[nodiscard]] MemoryReading read(const void* scope, c10::Device device) {
    const std::lock_guard lock(mutex_);
    MemoryReading reading = read_device(device);
    reading.peak = std::max(reading.peak, scopes_.at(scope).peak);
    return reading;
  }

private:
  struct Scope {
    c10::Device device;
    std::int64_t peak;
  };

  void keep_peak(c10::Device device) {
    const std::int64_t peak = read_device(device).peak;
    for (auto& [address, scope] : scopes_) {
      if (scope.device == device) scope.peak = std::max(scope.peak, peak);
    }
  }

  std::mutex mutex_;
  std::map<const void*, Scope> scopes_;
};

OpenScopes& open_scopes() {
  static auto* const instance = new OpenScopes;
  return *instance;
}

/// Returns the device with an index, so that "cuda" and "cuda:0" are one.
c10::Device prepare(c10::Device device) {
  if (device.is_cpu()) {
    install_cpu_counters();
    return device;
  }
  if (device.is_cuda()) return prepare_cuda(device);
  throw std::invalid_argument("AllocatedMemory: " + device.str() + " is neither cpu nor cuda");
}

} // namespace

AllocatedMemory::AllocatedMemory(c10::Device device) : device_(prepare(device)) {
  open_scopes().enter(this, device_);
  before_ = open_scopes().read(this, device_);
}

AllocatedMemory::~AllocatedMemory() {
  open_scopes().leave(this);
}

MemoryReading AllocatedMemory::after() const {
  return open_scopes().read(this, device_);
}

MemoryReading AllocatedMemory::delta() const {
  const MemoryReading now = after();
  return {now.allocated - before_.allocated, now.current - before_.current, now.freed - before_.freed,
          now.peak - before_.current};
}

} // namespace memviz::capture
