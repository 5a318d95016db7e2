#pragma once

// Folders with source files -> the text of the lines that a recording's frames are in. The paths of a snapshot are a
// stranger's: no file outside of the folders is opened, none behind a symbolic link, and none that is not a source
// file. A file that changed after the snapshot was written has other lines, and is not shown.

#include "memviz/frames.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

class SourceLines {
public:
  /// Throws UsageError for a folder that cannot be opened. `written_ns`: when the snapshot was written, in nanoseconds
  /// since 1970; where that is unknown, only files without a time, which have 0, are shown.
  SourceLines(const std::vector<std::string>& folders, std::optional<std::int64_t> written_ns);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  /// Sets FrameTable::source() of the frames whose file is in one of the folders: at the path that the frame has, or,
  /// as for a snapshot of another machine, at the end of it. The paths that end in a folder all begin alike: where most
  /// of its files are found with two beginnings, none of them is shown. Files are read once, at the first call.
  void add_to(FrameTable& frames);
  /// Returns sentences about what is not shown, without their full stops.
  [[nodiscard]] const std::vector<std::string>& remarks() const noexcept;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Returns when the file of a snapshot was written, in nanoseconds since 1970; nothing for a pipe or a device.
[[nodiscard]] std::optional<std::int64_t> written_ns(const std::string& snapshot);

} // namespace memviz
