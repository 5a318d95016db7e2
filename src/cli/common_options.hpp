#pragma once

// The options that several commands share: their help, and their values -> the library's option structs.

#include "cli/arguments.hpp"
#include "memviz/flame.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/svg.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz::cli {

[[nodiscard]] std::vector<Option> tree_options();    ///< what is grouped, kept and left out
[[nodiscard]] std::vector<Option> picture_options(); ///< how a picture looks
[[nodiscard]] std::vector<Option> redact_options();  ///< --redact, --redact-key
[[nodiscard]] std::vector<Option> general_options(); ///< --threads, --max-memory, --quiet, --help
[[nodiscard]] Option device_option();
/// --max-size; `how` says for the help what is done for it, as in "draw fewer bands".
[[nodiscard]] Option size_option(std::string_view how);

/// One list after the other.
[[nodiscard]] std::vector<Option> joined(std::initializer_list<std::vector<Option>> lists);

enum class View : std::uint8_t { memory, segments };

/// What the tree options say before a snapshot is read. Which levels stand for a view depends on the snapshot.
struct TreeChoice {
  std::optional<View> view;
  std::optional<std::vector<Level>> group;
  FrameFilter frames = FrameFilter::filtered;
  std::string focus;
  std::string hide;
  std::optional<std::uint32_t> device;
};

/// These throw UsageError for a value that is not allowed.
[[nodiscard]] TreeChoice tree_choice(const Arguments& arguments);
[[nodiscard]] SvgOptions svg_options(const Arguments& arguments, const TreeChoice& choice);
[[nodiscard]] std::optional<View> view_of(const Arguments& arguments);
[[nodiscard]] std::optional<std::uint32_t> device_of(const Arguments& arguments);
[[nodiscard]] unsigned threads_of(const Arguments& arguments);
[[nodiscard]] std::optional<std::uint64_t> max_memory_of(const Arguments& arguments);
/// Null without --redact.
[[nodiscard]] std::shared_ptr<Redactor> redactor_of(const Arguments& arguments);

/// The tree options for a snapshot; `--group`, else `--view`, else the memory view.
[[nodiscard]] TreeOptions resolved(const TreeChoice& choice, const MemoryState& state);

} // namespace memviz::cli
