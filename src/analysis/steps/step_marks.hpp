#pragma once

// The annotations of a recording -> for each device, the times at which its steps begin. Each text is examined once,
// and each annotation once for the device that it names, or once for all devices if it names none.

#include "base/hash_map.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The degree to which a name suggests a step; higher is stronger.
enum class StepRank : std::uint8_t {
  none, ///< not at all: it occurs too seldom, or is known for another purpose
  any,  ///< it occurs three times
  many, ///< it occurs five times
  word, ///< one of its words is step, iteration or batch
  optimizer,
  profiler, ///< from here on, only steps have such marks
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
  /// Finds the marks of `wanted`, where NAME* stands for all names that begin so; without it, of each name that may
  /// mark the steps of a device. `recording` must outlive this object.
  StepMarks(const Recording& recording, const std::optional<std::string>& wanted);

  /// Returns the marks of the device itself or, in a file without any of them, of all devices. The strongest names come
  /// first; among equals, those with the fewest marks, which contain the others. At most 16. Valid until the next call.
  [[nodiscard]] const std::vector<Marks>& of(DeviceId device);

private:
  /// Returns the key that distinguishes names: their text up to a number at the end.
  struct Key {
    std::string text;
    StepRank rank = StepRank::none; ///< if it occurs often
  };
  using Starts = std::vector<const Annotation*>;

  void find_keys(const std::optional<std::string>& wanted);
  [[nodiscard]] std::vector<Marks> marks_among(const Starts& starts) const;

  const Recording& recording_;
  bool is_wanted_;                                  ///< so its frequency does not matter
  std::vector<Key> keys_;                           ///< sorted by text
  HashMap<std::uint32_t, std::uint32_t> key_by_id_; ///< of the wanted names
  std::map<DeviceId, Starts> own_;                  ///< by device
  std::vector<Marks> current_;
  std::optional<std::vector<Marks>> of_all_;
};

} // namespace memviz
