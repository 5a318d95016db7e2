#pragma once

// The sentences that only pictures have: on how they are drawn, and on parts of them that are empty.

#include "memviz/compare.hpp"
#include "memviz/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

inline constexpr std::string_view kOpenInBrowser =
    "Open this file in a browser to zoom, search, invert, and read and copy full stacks.";
inline constexpr std::string_view kOpenSegmentsInBrowser =
    "Open this file in a browser to point at blocks, zoom and search.";
inline constexpr std::string_view kNoSegmentToDraw =
    "Nothing to draw: the file holds no segments. Was the snapshot made in the process that uses the GPU, and while it "
    "held memory?";
inline constexpr std::string_view kNoSegmentsToDraw = "Nothing to draw: neither file has a segment.";
inline constexpr std::string_view kNoEventsToDraw = "Nothing to draw: nothing was reserved and nothing happened.";
inline constexpr std::string_view kNoProducts = "No operator of the program multiplies matrices.";
inline constexpr std::string_view kNoRankDiffers = "No rank differs from its group by a line that stands out.";
inline constexpr std::string_view kPoolsWithoutNames =
    "The events of this file do not name pools: memory in segments that do not exist at the end is counted with the "
    "default pool of its stream.";

/// "No line grew."
[[nodiscard]] std::string_view no_change_text(bool grown);

/// "3 segments are less than half in use: 12.0 MiB of blocks keep 2.00 GiB of free memory from being given back."
[[nodiscard]] std::string pins_text(const Pins& pins);

/// Returns which segments both files have; of two processes, that their addresses cannot match.
[[nodiscard]] std::string segments_text(const Comparison& comparison);

/// "Each device has its own scale of bytes and counts its own events." `open`: the number of charts with one scale.
[[nodiscard]] std::string scales_text(std::size_t charts, std::size_t open, bool by_time);
/// "Drawn with fewer bands than 4,000, to keep the file below 2.00 MiB."
[[nodiscard]] std::string fewer_bands_text(std::size_t bands, std::uint64_t most_bytes);

} // namespace memviz
