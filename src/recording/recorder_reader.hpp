#pragma once

// `memviz_recorder`, at the top level of the document, -> Recording::declared and Recording::measured.

#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "value/document.hpp"

namespace memviz {

/// Reads the recorder's key. Omits entries of another shape with a warning that counts them, because newer recorders
/// may write more. Throws SchemaError if the file is too small for all its entries.
void read_recorder(const Document& document, FrameReader& texts, Budget& budget, Recording& recording);

} // namespace memviz
