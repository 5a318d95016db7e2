#pragma once

// A folder for PYTHONPATH that brings memviz's recorder into every Python: a sitecustomize, and the package
// memviz_recording.

#include <filesystem>

namespace memviz::record {

/// Writes them into a folder that is there. Throws Error.
void write_hook(const std::filesystem::path& folder);

/// A folder that outlives this process, because the program that takes its place needs it: memviz/hook-... of the
/// user's cache (XDG_CACHE_HOME, ~/.cache), one for each content; where that cannot be written, a new one in TMPDIR.
/// Throws Error where there is no place at all.
[[nodiscard]] std::filesystem::path lasting_hook();

} // namespace memviz::record
