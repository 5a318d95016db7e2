#pragma once

// Folders with source files -> the text of the lines that a recording's frames are in. The paths of a snapshot are
// untrusted: only source files inside the folders are opened, no hidden ones, and no symbolic links are followed. Lines
// of a file that changed after the snapshot was written, or after its first event, are not shown: Python had loaded
// another text.

#include "memviz/frames.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

class SourceLines {
public:
  /// Opens the folders. Throws UsageError for a folder that cannot be opened. `written_ns`: when the snapshot was
  /// written, in nanoseconds since 1970; if unknown, only files without a time, which have 0, are shown.
  SourceLines(const std::vector<std::string>& folders, std::optional<std::int64_t> written_ns);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  /// Sets FrameTable::source() of the frames whose file is in one of the folders: at the frame's path or, for a
  /// snapshot of another machine, at the end of that path. In the second case all matching paths must have the same
  /// beginning: if most of a folder's files match with two beginnings, none of them is shown. Reads files once, at the
  /// first call. `first_us`: the time of the recording's first event, if known.
  void add_to(FrameTable& frames, std::optional<std::int64_t> first_us = std::nullopt);
  /// Returns sentences about files that are not shown, without their full stops.
  [[nodiscard]] const std::vector<std::string>& remarks() const noexcept;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Returns when a snapshot's file was written, in nanoseconds since 1970; nullopt for a pipe or a device.
[[nodiscard]] std::optional<std::int64_t> written_ns(const std::string& snapshot);

} // namespace memviz
