#pragma once

// The head and the tail that make one JSON object of a log with TraceFormat::document; TraceLog writes between them.
// The schema is memviz.trace.

#include "memviz/memory_state.hpp"
#include "memviz/trace.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// `survey` received the events; `device`: the only one whose events are in the log.
[[nodiscard]] std::string trace_json_head(const std::string& file, const MemoryState& state, const TraceSurvey& survey,
                                          std::optional<DeviceId> device);
[[nodiscard]] std::string_view trace_json_tail();

} // namespace memviz
