#pragma once

// `memviz_keepers`, at the top level of the document, -> Recording::keepers. The key holds columns: lists of equal
// length, whose numbers are indices into other columns.

#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "value/document.hpp"

namespace memviz {

/// Reads the key. Omits columns of different lengths, and entries with an index outside its column, with a warning;
/// words that are unknown become "object" and "refers". Throws SchemaError if the file is too small for all entries.
void read_keepers(const Document& document, FrameReader& texts, Budget& budget, Recording& recording);

} // namespace memviz
