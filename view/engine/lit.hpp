#pragma once

// The part of a page that the pointer is at -> the allocations that all other parts light up.

#include "engine/page_file.hpp"
#include "engine/request.hpp"
#include "engine/walk.hpp"

#include "memviz/frames.hpp"

#include <vector>

namespace memviz::view {

/// Returns whether each allocation, by index in Scrub, is one of those that the request names: see lit_of(). None for a
/// word that it does not know.
[[nodiscard]] std::vector<bool> lit_lives(const PageFile& file, const Walk& walk, const PageRequest& request);

/// Whether flame graphs show a frame, as they do by default: see FrameFilter::program.
[[nodiscard]] bool is_in_graphs(const FrameTable& frames, FrameId frame);

} // namespace memviz::view
