#pragma once

// Analysis results -> one self-contained SVG: no network, no external font, the same bytes on every run, valid XML 1.0
// whatever the names in the snapshot are, complete without scripts.

#include "memviz/compare.hpp"
#include "memviz/explain.hpp"
#include "memviz/flame.hpp"
#include "memviz/flops.hpp"
#include "memviz/ranks.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "memviz/story.hpp"
#include "memviz/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// The meaning of the colours of a picture: the origin of the code that a box or a line represents; the line of the
/// user's own code, of which the largest have their own colours; or the kind of memory, in flame graphs and states
/// of a state that has its kinds, and in timelines of records that have theirs.
enum class ColorBy : std::uint8_t { origin, line, kind };

struct SvgOptions {
  bool upward = false;               ///< root at the bottom
  bool scripts = true;               ///< off for goldens
  bool fold = true;                  ///< fold unbranching runs of frames that are not the user's own into one box
  std::size_t max_bytes = 2'000'000; ///< small boxes are merged until the file is no larger
  double min_percent = 0;            ///< boxes narrower than this share of the graph are merged in any case
  std::optional<ColorBy> color =
      {}; ///< by default origin in a flame graph, line in a state; comparisons have their own
};

/// A tree, and what is said about it. All of it refers to the devices that the tree holds.
struct FlamePicture {
  std::string file; ///< name of the snapshot, for the header
  MemorySubject subject;
  const FrameTree& tree;
  std::optional<DeviceId> device = {}; ///< the only one drawn
  std::span<const KindAt> kinds = {};  ///< of the tree: KindTree::kinds
  TreeFilters filters = {};            ///< that the tree was made with
  bool has_segments = false;           ///< every segment is drawn below the graph
};

[[nodiscard]] std::string flame_svg(const FlamePicture& picture, const SvgOptions& options);

struct ComparePicture {
  std::string before_file;
  std::string after_file;
  const Comparison& comparison;
  std::vector<std::string> warnings; ///< of both files, each with the name of its file
  /// The facts about each side in addition to its totals: devices, the moment, the generation of PyTorch.
  std::vector<std::string> before_facts = {};
  std::vector<std::string> after_facts = {};
  std::vector<std::string> notes = {}; ///< further ones, with their full stops
};

/// Drawn for the first device; the others are named below.
struct ExplainPicture {
  std::string file;
  const MemoryState& state;
  const std::vector<DeviceExplanation>& devices;
};

[[nodiscard]] std::string explain_svg(const ExplainPicture& picture, const SvgOptions& options);

/// The groups of a job, a cell for each rank, and the lines by which some differ.
[[nodiscard]] std::string ranks_svg(const JobReport& report, const SvgOptions& options);

/// The allocator at a moment, as segments with their blocks and holes.
struct StatePicture {
  std::string file;
  const MemoryState& state;
  std::optional<DeviceId> device; ///< only this one
};

/// Fewer segments are drawn, largest first, until the file is no larger than `options` allows; what is left out is
/// said.
[[nodiscard]] std::string state_svg(const StatePicture& picture, const SvgOptions& options);

/// The operations of a model's forward pass by module and operator, as wide as they are many; throws Error where their
/// count has no value.
[[nodiscard]] std::string flops_svg(const std::string& file, const ModelFlops& model, const SvgOptions& options);

[[nodiscard]] std::string compare_svg(const ComparePicture& picture, const SvgOptions& options);

} // namespace memviz
