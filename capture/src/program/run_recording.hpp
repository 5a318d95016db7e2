#pragma once

// What the sub-commands share: the device they run on, and the recording of a whole run into a file.

#include "memviz/capture/recorder.hpp"

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::capture::program {

/// "cpu" or "cuda"; throws std::runtime_error when there is no CUDA device to use.
[[nodiscard]] c10::Device device_of(std::string_view name);

/// Records from construction to finish(), unless `path` is empty. Whether the folder of `path` is there is found out
/// at once, not after the run.
class RunRecording {
public:
  RunRecording(const std::string& path, c10::Device device);
  /// Writes the snapshot and says so on stdout.
  void finish();

private:
  std::filesystem::path path_;
  std::optional<Recorder> recorder_;
};

} // namespace memviz::capture::program
