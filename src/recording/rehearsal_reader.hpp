#pragma once

// `memviz_rehearsal`, at the top level of the document or among `allocator_settings`, -> Origin::rehearsal. It is
// in both places, so that it survives tools that keep only one of them.

#include "memviz/recording.hpp"
#include "recording/frame_reader.hpp"
#include "value/document.hpp"

namespace memviz {

/// `settings` may be Kind::unset. A mark of any shape is a mark; malformed members are omitted. It is also the first of
/// the snapshot's warnings, which all outputs show.
void read_rehearsal(const Document& document, Value settings, FrameReader& texts, Recording& recording);

} // namespace memviz
