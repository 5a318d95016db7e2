#pragma once

// `allocator_settings` of the document -> Recording::settings and its facts about the trace.

#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "value/document.hpp"

namespace memviz {

/// Nested dicts (`roundup_power2_divisions`) are flattened one level deep. Throws SchemaError.
void read_settings(const Document& document, Value settings, FrameReader& texts, Budget& budget, Recording& recording);

} // namespace memviz
