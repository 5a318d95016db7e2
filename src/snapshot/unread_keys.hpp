#pragma once

// Keys of the whole snapshot that nothing of memviz reads: newer writers have more of them, and memory may be among
// what they hold.

#include "memviz/recording.hpp"
#include "snapshot/budget.hpp"
#include "snapshot/frame_reader.hpp"
#include "value/document.hpp"

namespace memviz {

/// Names them in the recording, and warns of those that could hold memory.
void name_unread_keys(const Document& document, FrameReader& texts, Budget& budget, Recording& recording);

} // namespace memviz
