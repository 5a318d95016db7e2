#pragma once

// Totals and users of a snapshot -> the top of a flame graph: the sentence, the answer, the facts, the figures and the
// bars.

#include "page/bars.hpp"
#include "page/header.hpp"

#include "memviz/svg.hpp"

#include <string>
#include <vector>

namespace memviz::render {

// `sum` is leading_or_sum() of the picture's devices.

/// "GPU 0 at its peak: 7.99 GiB reserved, 79.0 % in use"; "GPU 1 ran out of memory: 4.94 GiB asked for, 78.4 GiB
/// reserved" where that is the moment.
[[nodiscard]] std::string headline_of(const FlamePicture& picture, const DeviceStats& sum);

/// "The largest user, log_predictions metrics.py:42, holds 746 MiB (11.2 % of what is in use)", and how much has no
/// stack where that is more; "" where nothing is in use. At an out-of-memory error first how full the device was.
[[nodiscard]] std::string answer_of(const FlamePicture& picture, const DeviceStats& sum);

/// The moment, the time of the recording, counts, the generation of PyTorch, and what other moments held.
[[nodiscard]] std::vector<std::string> facts_of(const FlamePicture& picture, const DeviceStats& sum);

/// "ran out of memory 2 times"; "" where it never did or the headline says so.
[[nodiscard]] std::string alert_of(const FlamePicture& picture, const DeviceStats& sum);

/// `devices`: how many these are the sums of.
[[nodiscard]] std::vector<Figure> figures_of(const DeviceStats& sum, std::size_t devices);

/// A bar for all, or one a device; below it, where a device has several pools or streams, one for each of the largest.
[[nodiscard]] std::vector<Bar> bars_of(const FlamePicture& picture);

} // namespace memviz::render
