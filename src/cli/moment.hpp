#pragma once

// The words of --at -> a moment. What they mean in a file is known once it is read.

#include "cli/arguments.hpp"
#include "memviz/moment.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::cli {

/// A moment as it was asked for.
struct MomentRequest {
  /// One of the times at which an annotation starts, counted from 1.
  struct Occurrence {
    std::string annotation;
    std::int64_t number = 1;
  };

  MomentChoice choice;                  ///< its annotation is the whole text behind "annotation:"
  std::optional<Occurrence> occurrence; ///< what that means if no annotation is called like it
  std::string option;                   ///< "--at peak": what was written, for messages
};

/// --at; `usual` says for the help what it is without it.
[[nodiscard]] Option moment_option(std::string_view usual);

/// `word` as the value of --`option`, with the device that --device names, and annotations as the snapshot has them.
/// Throws UsageError.
[[nodiscard]] MomentRequest parse_moment(std::string_view option, const std::string& word, const Arguments& arguments);
/// The value of --at, else `word`. Throws UsageError.
[[nodiscard]] MomentRequest moment_of(const Arguments& arguments, const std::string& word = "auto");

/// Whether the choice lacks a time that is known only when the file's annotations are.
[[nodiscard]] bool needs_annotation(const MomentRequest& request);
/// What an annotation that the command line names is called in the snapshot: with --redact, its pseudonym.
[[nodiscard]] std::string shown_annotation(const Arguments& arguments, std::string_view name);
/// The choice, with the time of the annotation asked for. Throws UsageError, with near names, when `file` has none of
/// that name.
[[nodiscard]] MomentChoice moment_in(const MomentRequest& request, const std::string& file, const Recording& recording);
/// Throws UsageError when `file` does not have the moment, with the range that it has; `accounts` were rewound to it.
void check_moment(const MomentRequest& request, const std::string& file, const std::vector<DeviceStats>& devices);

} // namespace memviz::cli
