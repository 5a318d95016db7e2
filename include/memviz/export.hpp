#pragma once

// Analysis results -> text for people and for programs, ending in a newline. A text is returned whole, or, where a
// small file could expand to gigabytes, as a source that produces it piece by piece.

#include "memviz/compare.hpp"
#include "memviz/flame.hpp"
#include "memviz/keeper_answers.hpp"
#include "memviz/kinds.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace memviz {

/// Takes a text, piece by piece.
using TextSink = std::function<void(std::string_view)>;
/// Writes a text to a sink. Everything that can fail was checked when the source was made, which throws Error for a
/// text out of proportion to the file.
using TextSource = std::function<void(const TextSink&)>;

[[nodiscard]] std::string whole_text(const TextSource& source);

enum class FoldedView : std::uint8_t { memory, segments };

/// Returns folded stacks as PyTorch's _memory_viz.py writes them: `a;b;c BYTES`, unique paths sorted by code point, no
/// zero lines; an inactive block counts with its full size on its `inactive` line. Lines of DeviceState::outside begin
/// with `<outside all segments>` instead of the stream.
[[nodiscard]] std::string folded_stacks(const MemoryState& state, FoldedView view, std::optional<DeviceId> device);
/// Keeps a reference to `state`.
[[nodiscard]] TextSource folded_source(const MemoryState& state, FoldedView view, std::optional<DeviceId> device);

/// Returns the lines of a tree in the same form, without its root: `in use;validate train.py:31;outputs;[*] BYTES`, in
/// the words of pictures. The bytes of all lines are those of the root.
[[nodiscard]] TextSource folded_tree_source(const MemoryState& state, const FrameTree& tree);

/// Returns the tree as one JSON object: the moment of each of its `devices`, totals, and a flat array of nodes, parents
/// before children.
[[nodiscard]] std::string tree_json(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                                    std::span<const DeviceState> devices);
/// Keeps references to `frames` and `tree`.
[[nodiscard]] TextSource tree_json_source(const std::string& file, const FrameTable& frames, const FrameTree& tree,
                                          std::span<const DeviceState> devices);

/// Returns the figures of `stats --json`, under fixed names. `peak_kinds` is from the same recording, whatever the
/// moment of `state`. `keepers` are those of the state.
[[nodiscard]] std::string stats_json(const std::string& file, const MemoryState& state,
                                     const KindsByDevice& peak_kinds = {}, const KeepersByDevice& keepers = {});

/// Returns totals per device, state, pool and stream, the largest users, segment map, settings, balance and warnings;
/// at most 100 columns wide except for names.
[[nodiscard]] std::string stats_text(const std::string& file, const MemoryState& state, std::optional<DeviceId> device,
                                     const KindsByDevice& peak_kinds = {}, const KeepersByDevice& keepers = {});

/// Returns the two lists of PyTorch's compare, `only_before = [...]` and `only_after = [...]`: decimal, ascending; of
/// more than three addresses the first three, unless `are_whole`. All of it is text that Python can run.
[[nodiscard]] std::string segment_lists(const Comparison& comparison, bool are_whole = false);

/// Returns the JSON for one of several files that could not be read, in place of its answer: its name and the reason.
[[nodiscard]] std::string unread_json(const std::string& file, std::string_view reason);

} // namespace memviz
