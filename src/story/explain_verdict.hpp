#pragma once

// The judgement of an explanation -> the sentence that says why a request failed, or where the memory was.

#include "memviz/explain.hpp"

#include <string>

namespace memviz {

/// "Cache: 3.31 GiB of 19.3 GiB reserved is in wholly free segments or pages; nothing keeps it."
[[nodiscard]] std::string verdict_text(const FrameTable& frames, const DeviceExplanation& device);
/// Whether verdict_text() names the kinds of the memory in use.
[[nodiscard]] bool has_kinds_in_verdict(const DeviceExplanation& device);

} // namespace memviz
