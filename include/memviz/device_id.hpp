#pragma once

// The device of a recording to which memory belongs: a GPU, main memory, or pinned host memory.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memviz {

/// The ordinal that the process counted it by. What may be of all devices, or of none, is a std::optional of it.
struct DeviceId {
  std::uint32_t value = 0;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

/// The most GPUs of a recording. PyTorch counts them by an int8_t (`DeviceIndex`, c10/core/Device.h); each has its own
/// accounts and its own part of each answer, so a file that has more is damaged, or made to cost.
inline constexpr std::uint32_t kMostDeviceIds = 1024;

/// Pinned host memory (`host_segments`, `host_traces`): beyond every ordinal that a file may give to a GPU, and so
/// after all GPUs.
inline constexpr DeviceId kHostDevice{0x10000};

[[nodiscard]] constexpr bool is_host(DeviceId device) {
  return device == kHostDevice;
}

/// One value a device, of those that were given one, ascending.
template <class T> class ByDevice {
public:
  using Entry = std::pair<DeviceId, T>;

  /// The value of `device`, a new T where it has none.
  [[nodiscard]] T& make(DeviceId device) {
    auto place = place_of(device);
    if (place == entries_.end() || place->first != device) place = entries_.insert(place, Entry{device, T{}});
    return place->second;
  }
  /// It must have one.
  [[nodiscard]] T& operator[](DeviceId device) { return place_of(device)->second; }
  [[nodiscard]] const T& operator[](DeviceId device) const { return place_of(device)->second; }
  /// Null where there is none.
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

  std::vector<Entry> entries_; ///< few: a search in them is faster than one in a tree
};

} // namespace memviz
