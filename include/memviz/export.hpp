#pragma once

// Analysis results -> text for people and for programs, ending in a newline: whole, or, where a small file may spell
// out gigabytes, as a source that gives it piece by piece.

#include "memviz/compare.hpp"
#include "memviz/flame.hpp"
#include "memviz/kinds.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Takes a text, piece by piece.
using TextSink = std::function<void(std::string_view)>;
/// Gives a text to a sink. What can be wrong with it was thrown, as Error, where the source was made: a text out of all
/// proportion to the file.
using TextSource = std::function<void(const TextSink&)>;

[[nodiscard]] std::string whole_text(const TextSource& source);

enum class FoldedView : std::uint8_t { memory, segments };

/// Folded stacks as PyTorch's _memory_viz.py writes them: `a;b;c BYTES`, unique paths sorted by code point, no zero
/// lines; an inactive block counts with its full size on its `inactive` line. DeviceState::outside
/// is on lines that begin with `<outside all segments>` instead of the stream.
[[nodiscard]] std::string folded_stacks(const MemoryState& state, FoldedView view, std::optional<DeviceId> device);
/// Refers to `state`.
[[nodiscard]] TextSource folded_source(const MemoryState& state, FoldedView view, std::optional<DeviceId> device);

/// The tree as one JSON object: the moment of each of its `devices`, totals, and a flat array of nodes, parents before
/// children.
[[nodiscard]] std::string tree_json(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                                    std::span<const DeviceState> devices);
/// Refers to `frames` and `tree`.
[[nodiscard]] TextSource tree_json_source(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                                          std::span<const DeviceState> devices);

/// The figures of `stats --json`, under fixed names. `peak_kinds`: of the same recording, whatever the moment of
/// `state`.
[[nodiscard]] std::string stats_json(const std::string& file, const MemoryState& state,
                                     const KindsByDevice& peak_kinds = {});

/// Totals per device, state, pool and stream, largest users, segment map, settings, balance and warnings; at most
/// 100 columns wide except for names.
[[nodiscard]] std::string stats_text(const std::string& file, const MemoryState& state, std::optional<DeviceId> device,
                                     const KindsByDevice& peak_kinds = {});

/// The two lists of PyTorch's compare, `only_before = [...]` and `only_after = [...]`: decimal, ascending.
[[nodiscard]] std::string segment_lists(const Comparison& comparison);
/// The same for a person, who reads a few addresses of each.
[[nodiscard]] std::string brief_segment_lists(const Comparison& comparison);

/// The JSON of one of several files, in place of its answer, where it could not be read: its name and the reason.
[[nodiscard]] std::string unread_json(const std::string& file, std::string_view reason);

} // namespace memviz
