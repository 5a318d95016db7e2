#pragma once

// The annotations of a recording -> for each device, the times at which its steps begin. Each text is looked at once,
// and each annotation once for the device that it names and once for all the devices that none names.

#include "base/hash_map.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The degree to which a name suggests a step; higher is better.
enum class StepRank : std::uint8_t {
  none, ///< it does not: it occurs too seldom, or is known for something else
  any,  ///< it occurs three times
  many, ///< it occurs five times
  word, ///< one of its words is step, iteration or batch
  optimizer,
  profiler, ///< from here on nothing but steps has such marks
  recorder, ///< marked for this purpose: memviz_torch.record().step()
};

/// The STARTs of one name.
struct Marks {
  std::string name; ///< "ProfilerStep#*" where they are numbered
  StepRank rank = StepRank::none;
  std::vector<std::int64_t> times_us; ///< ascending
};

class StepMarks {
public:
  /// Marks of `wanted`, where NAME* stands for all that begin so; without it, of each name that may say where the
  /// steps of a device begin. `recording` must outlive this object.
  StepMarks(const Recording& recording, const std::optional<std::string>& wanted);

  /// The marks of the device itself; in a file without any of them, of all devices. The names that say it best come
  /// first, of equals those with the fewest marks, which hold the others; at most 16. Valid until the next call.
  [[nodiscard]] const std::vector<Marks>& of(DeviceId device);

private:
  /// The key that distinguishes names: their text up to a number at the end.
  struct Key {
    std::string text;
    StepRank rank = StepRank::none; ///< where it occurs often
  };
  using Starts = std::vector<const Annotation*>;

  void find_keys(const std::optional<std::string>& wanted);
  [[nodiscard]] std::vector<Marks> marks_among(const Starts& starts) const;

  const Recording& recording_;
  bool is_wanted_;                                  ///< and so it does not matter how often it occurs
  std::vector<Key> keys_;                           ///< in order of their texts
  HashMap<std::uint32_t, std::uint32_t> key_by_id_; ///< of the names that are wanted
  std::map<DeviceId, Starts> own_;                  ///< by device
  std::vector<Marks> current_;
  std::optional<std::vector<Marks>> of_all_;
};

} // namespace memviz
