#pragma once

// A stack -> its folded text, piece by piece: comparing and writing it needs no memory, however long its names are.

#include "export/text_writer.hpp"
#include "memviz/frames.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace memviz {

/// Returns frames outermost first, as they are written: "train.py:12:main;net.py:7:forward".
using FoldedStack = std::span<const FrameId>;

/// Returns the bytes of one frame, "net.py:7:forward".
[[nodiscard]] std::uint64_t folded_size(const FrameTable& frames, FrameId id);
/// Less than, equal to or greater than 0, as the texts compare byte by byte.
[[nodiscard]] int compare_folded(const FrameTable& frames, FoldedStack one, FoldedStack other);
[[nodiscard]] int compare_folded(const FrameTable& frames, FoldedStack stack, std::string_view word);
void write_folded(const FrameTable& frames, FoldedStack stack, TextWriter& writer);

} // namespace memviz
