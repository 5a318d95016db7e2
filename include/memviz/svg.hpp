#pragma once

// Analysis results -> one self-contained SVG: no network, no external font, the same bytes on every run, valid XML 1.0
// whatever names the snapshot contains, and complete without scripts.

#include "memviz/compare.hpp"
#include "memviz/explain.hpp"
#include "memviz/flame.hpp"
#include "memviz/flops.hpp"
#include "memviz/keeper_table.hpp"
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

/// The meaning of the colours of a picture. `origin`: the origin of the code that a box or a line represents. `line`:
/// the line of the user's own code; the largest lines have separate colours. `kind`: the kind of memory, in flame
/// graphs and states whose state has kinds, and in timelines whose records do. `keeper`: the variable that refers to
/// the memory at the end of the recording, in states and timelines of recordings that have keepers.
enum class ColorBy : std::uint8_t { origin, line, kind, keeper };

struct SvgOptions {
  bool upward = false;               ///< root at the bottom
  bool scripts = true;               ///< off for goldens
  bool fold = true;                  ///< fold unbranching runs of frames that are not the user's own into one box
  std::size_t max_bytes = 2'000'000; ///< merge small boxes until the file is no larger
  double min_percent = 0;            ///< always merge boxes narrower than this share of the graph
  std::optional<ColorBy> color =
      {}; ///< the default is origin in a flame graph, line in a state; comparisons use separate colours
  /// By line or keeper: those with separate hues, so that pictures of different moments have the same; if empty, the
  /// largest of each picture.
  std::vector<NodeKey> hued_lines = {};
};

/// A tree and the words about it. Everything describes the devices in the tree.
struct FlamePicture {
  std::string file; ///< name of the snapshot, for the header
  MemorySubject subject;
  const FrameTree& tree;
  std::optional<DeviceId> device = {}; ///< the only one drawn; nullopt: all
  std::span<const KindAt> kinds = {};  ///< of the tree: KindTree::kinds
  TreeFilters filters = {};            ///< the options that the tree was made with
  bool has_segments = false;           ///< every segment is drawn below the graph
  std::string keeper = {};             ///< a sentence about the largest keeper, of a tree by keeper
  KeeperLines keepers = {};            ///< of the devices drawn, for the list below a tree by keeper
};

[[nodiscard]] std::string flame_svg(const FlamePicture& picture, const SvgOptions& options);

struct ComparePicture {
  std::string before_file;
  std::string after_file;
  const Comparison& comparison;
  std::vector<std::string> warnings; ///< of both files, each with its file's name
  /// The facts about each side besides its totals: devices, the moment, the generation of PyTorch.
  std::vector<std::string> before_facts = {};
  std::vector<std::string> after_facts = {};
  std::vector<std::string> notes = {}; ///< further notes, with their full stops
};

/// Draws the first device; the others are named below.
struct ExplainPicture {
  std::string file;
  const MemoryState& state;
  const std::vector<DeviceExplanation>& devices;
};

[[nodiscard]] std::string explain_svg(const ExplainPicture& picture, const SvgOptions& options);

/// Draws the groups of a job, a cell for each rank, and the lines by which some differ.
[[nodiscard]] std::string ranks_svg(const JobReport& report, const SvgOptions& options);

/// The allocator at a moment: segments with their blocks and free parts.
struct StatePicture {
  std::string file;
  const MemoryState& state;
  std::optional<DeviceId> device; ///< the only one drawn; nullopt: all
};

/// Draws segments. Omits the smallest until the file is no larger than `options` allows; says what is omitted.
[[nodiscard]] std::string state_svg(const StatePicture& picture, const SvgOptions& options);

/// Draws the operations of a model's forward pass by module and operator, with widths proportional to their number;
/// throws Error if their count has no value.
[[nodiscard]] std::string flops_svg(const std::string& file, const ModelFlops& model, const SvgOptions& options);

[[nodiscard]] std::string compare_svg(const ComparePicture& picture, const SvgOptions& options);

} // namespace memviz
