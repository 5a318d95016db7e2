#pragma once

// Everything that memviz computes from one file, checked; shared by the fuzzers of snapshots.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <string_view>

namespace memviz::fuzz {

/// Reads with events stored, and again with events passed on while the file is decoded: the same result or the same
/// error. Throws that error. `choice` selects the number of threads.
[[nodiscard]] std::shared_ptr<const Recording> read_in_every_way(std::string_view bytes, std::uint32_t choice);

/// Checks MemoryState, trees, picture, texts and JSON; `choice` selects the options.
void check_outputs(const std::shared_ptr<const Recording>& recording, std::uint32_t choice);

/// Returns the bytes of all segments.
[[nodiscard]] std::uint64_t reserved_bytes(const MemoryMap& memory);

} // namespace memviz::fuzz
