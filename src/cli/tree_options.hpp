#pragma once

// The options that say how memory is grouped into a tree, and which frames it has.

#include "cli/option.hpp"
#include "memviz/flame.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::cli {

enum class View : std::uint8_t { memory, segments };

/// What is said before a snapshot is read. Which levels stand for a view depends on the snapshot.
struct TreeChoice {
  std::optional<View> view;
  std::optional<std::vector<Level>> group;
  std::optional<FrameFilter> frames;
  std::optional<std::string> focus;
  std::optional<std::string> hide;
};

[[nodiscard]] Option<TreeChoice> view_option(std::string help);
[[nodiscard]] OptionList<TreeChoice> tree_options(); ///< what is grouped, kept and left out

/// The frames that are kept: what was chosen, else all but what PyTorch's own tools leave out.
[[nodiscard]] FrameFilter frames_of(const TreeChoice& choice);

/// Whether the levels need the births of blocks: Wants::births.
[[nodiscard]] bool needs_births(const TreeChoice& choice);
/// Whether they need the kinds of blocks: Wants::kinds.
[[nodiscard]] bool needs_kinds(const TreeChoice& choice);

/// The tree options for a snapshot, `--group`, else `--view`, else the memory view.
[[nodiscard]] TreeOptions resolved(const TreeChoice& choice, const MemoryState& state, std::optional<DeviceId> device);

} // namespace memviz::cli
