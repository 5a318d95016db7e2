#pragma once

// Which device of a recording something is of: a GPU, or main memory.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memviz {

/// The ordinal that the process counted it by. What may be of all devices, or of none, is a std::optional of it.
struct DeviceId {
  std::uint32_t value = 0;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

/// One value a device, of all devices up to the highest one that was given one.
template <class T> class ByDevice {
public:
  /// The value of `device`, a new T where it has none.
  [[nodiscard]] T& make(DeviceId device) {
    if (values_.size() <= device.value) values_.resize(device.value + std::size_t{1});
    return values_[device.value];
  }
  /// It must have one.
  [[nodiscard]] T& operator[](DeviceId device) { return values_[device.value]; }
  [[nodiscard]] const T& operator[](DeviceId device) const { return values_[device.value]; }
  /// Null where there is none.
  [[nodiscard]] const T* find(DeviceId device) const {
    return device.value < values_.size() ? &values_[device.value] : nullptr;
  }
  [[nodiscard]] T* find(DeviceId device) { return device.value < values_.size() ? &values_[device.value] : nullptr; }

  /// How many there are; those of devices from 0 on.
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(values_.size()); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
  [[nodiscard]] auto end() const noexcept { return values_.end(); }
  void clear() noexcept { values_.clear(); }
  friend bool operator==(const ByDevice&, const ByDevice&) = default;

private:
  std::vector<T> values_;
};

} // namespace memviz
