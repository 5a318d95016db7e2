#pragma once

// The parts that GPU tests share: the folder for their files, and the figures that they measure.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace memviz::gpu {

/// Returns $MEMVIZ_GPU_OUT, else a folder of this process below the system's one for temporary files. It exists.
[[nodiscard]] std::filesystem::path out_folder();

/// Adds a figure to figures.json in the out folder, one JSON object a line, so that what was measured before a crash or
/// a timeout is kept. Printed as well.
void report(const std::string& name, double value, const std::string& unit);

[[nodiscard]] double seconds_of(const std::function<void()>& action);

/// Returns the bytes that this process has in memory now.
[[nodiscard]] std::int64_t resident_bytes();

/// Calls `action` below `frames` additional frames. The bits of `path` select one of two call sites at each frame, so
/// that different paths are different stacks.
void call_below(int frames, std::uint64_t path, const std::function<void()>& action);

} // namespace memviz::gpu
