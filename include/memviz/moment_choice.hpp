#pragma once

// The words that name a moment ("peak", "event:12", "annotation:ProfilerStep#3") -> a MomentChoice. Which event they
// mean is known once a file is read.

#include "memviz/device_state.hpp"
#include "memviz/moment.hpp"
#include "memviz/recording.hpp"
#include "memviz/text_rewriter.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// Parses `word`: end, peak, oom, auto, event:N (without a device), time:US, annotation:NAME or annotation:NAME#K.
/// Throws UsageError, which calls the option --`option` and lists the allowed words.
[[nodiscard]] MomentChoice parse_moment(std::string_view option, const std::string& word);

/// Returns the choice with the time of the requested annotation, whose name in the recording is the output of
/// `rewriter` (or null). Throws UsageError, which suggests similar names, if `file` has none of that name.
[[nodiscard]] MomentChoice moment_in(const MomentChoice& wanted, const std::string& file, const Recording& recording,
                                     TextRewriter* rewriter);

/// Throws UsageError if `file` does not have the moment, with the range that it has; `devices` belong to a state
/// rebuilt for it.
void check_moment(const MomentChoice& choice, const std::string& file, std::span<const DeviceState> devices);

} // namespace memviz
