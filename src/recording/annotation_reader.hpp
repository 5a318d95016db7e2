#pragma once

// `external_annotations` of the document -> Recording::annotations.

#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "value/document.hpp"

namespace memviz {

/// Adds the annotations. Keys other than those of every annotation become its metadata. Throws SchemaError.
void read_annotations(const Document& document, Value annotations, FrameReader& frames, Budget& budget,
                      Recording& recording);

} // namespace memviz
