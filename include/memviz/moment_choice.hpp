#pragma once

// The words that name a moment ("peak", "event:12", "annotation:ProfilerStep#3") -> a MomentChoice. What they mean in a
// file is known once it is read.

#include "memviz/device_state.hpp"
#include "memviz/moment.hpp"
#include "memviz/recording.hpp"
#include "memviz/text_rewriter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// `word` is end, peak, oom, auto, event:N (of which device is not said), time:US, annotation:NAME or
/// annotation:NAME#K. Throws UsageError, which calls the option --`option`, and says what is allowed.
[[nodiscard]] MomentChoice parse_moment(std::string_view option, const std::string& word);

/// The choice, with the time of the annotation asked for, which is called in the recording what `rewriter` (or null)
/// made of its name. Throws UsageError, with near names, when `file` has none of that name.
[[nodiscard]] MomentChoice moment_in(const MomentChoice& wanted, const std::string& file, const Recording& recording,
                                     TextRewriter* rewriter);

/// Throws UsageError when `file` does not have the moment, with the range that it has; `devices` are of a state that
/// was rewound to it.
void check_moment(const MomentChoice& choice, const std::string& file, std::span<const DeviceState> devices);

} // namespace memviz
