#pragma once

// The device that memory in a recording belongs to: a GPU, main memory, or pinned host memory.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memviz {

/// The ordinal of a device, as the process counts. Code that may mean all devices, or none, uses a std::optional of it.
struct DeviceId {
  std::uint32_t value = 0;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

/// The maximum number of GPUs of a recording. PyTorch counts them by an int8_t (`DeviceIndex`, c10/core/Device.h). Each
/// GPU has separate accounts and a separate part of every answer, so a file with more is damaged, or made to be
/// expensive.
inline constexpr std::uint32_t kMostDeviceIds = 1024;

/// Pinned host memory (`host_segments`, `host_traces`). It is beyond every ordinal that a file may give to a GPU, so it
/// sorts after all GPUs.
inline constexpr DeviceId kHostDevice{0x10000};

[[nodiscard]] constexpr bool is_host(DeviceId device) {
  return device == kHostDevice;
}

/// A map from devices to values, ascending by device.
template <class T> class ByDevice {
public:
  using Entry = std::pair<DeviceId, T>;

  /// Returns the value of `device`, adding a new T if it has none.
  [[nodiscard]] T& make(DeviceId device) {
    auto place = place_of(device);
    if (place == entries_.end() || place->first != device) place = entries_.insert(place, Entry{device, T{}});
    return place->second;
  }
  /// Returns the value of a device that must have one.
  [[nodiscard]] T& operator[](DeviceId device) { return place_of(device)->second; }
  [[nodiscard]] const T& operator[](DeviceId device) const { return place_of(device)->second; }
  /// Returns the value of a device; null if it has none.
  [[nodiscard]] const T* find(DeviceId device) const {
    const auto place = place_of(device);
    return place == entries_.end() || place->first != device ? nullptr : &place->second;
  }
  [[nodiscard]] T* find(DeviceId device) {
    const auto place = place_of(device);
    return place == entries_.end() || place->first != device ? nullptr : &place->second;
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return entries_.begin(); }
  [[nodiscard]] auto end() const noexcept { return entries_.end(); }
  void clear() noexcept { entries_.clear(); }
  friend bool operator==(const ByDevice&, const ByDevice&) = default;

private:
  [[nodiscard]] auto place_of(DeviceId device) const {
    return std::lower_bound(entries_.begin(), entries_.end(), device, is_before);
  }
  [[nodiscard]] auto place_of(DeviceId device) {
    return std::lower_bound(entries_.begin(), entries_.end(), device, is_before);
  }
  [[nodiscard]] static bool is_before(const Entry& entry, DeviceId device) { return entry.first < device; }

  std::vector<Entry> entries_; ///< few entries: searching a vector is faster than a tree
};

} // namespace memviz
