#pragma once

// The marks of record_function -> which annotations were open when each block was allocated.

#include "memviz/memory_state.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

/// Names of open annotations, outermost first; if there are more than kMostOpen, the innermost.
using AnnotationPath = std::vector<StringId>;

struct OpenAnnotations {
  std::vector<AnnotationPath> paths;   ///< each once; the first is the empty one
  std::vector<std::uint32_t> of_block; ///< by block index: an index into `paths`
};

inline constexpr std::size_t kMostOpen = 16;

/// Returns the annotations open at the birth of each block; none for blocks whose birth has no time, or if `births`
/// is empty. An END without a START was open from the beginning. An annotation that begins or ends in the microsecond
/// of an allocation is open then.
[[nodiscard]] OpenAnnotations open_annotations(const MemoryState& state);

/// Returns the same for one time of a device.
[[nodiscard]] AnnotationPath open_annotations_at(const Recording& recording, DeviceId device, std::int64_t time_us);

} // namespace memviz
