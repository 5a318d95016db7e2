#pragma once

// A folder for PYTHONPATH that adds memviz's recorder to every Python: a sitecustomize, and the package
// memviz_recording.

#include <filesystem>

namespace memviz::hooks {

/// Writes them, readable by this user alone, into an existing folder. Throws Error.
void write_hook(const std::filesystem::path& folder);

/// Returns a folder that outlives this process, because the program that replaces it needs the files: memviz/hook-...
/// of the user's cache (XDG_CACHE_HOME, ~/.cache), one for each content; a new private one in TMPDIR if the cache
/// cannot be written, or if others could change its contents. Throws Error if neither is possible.
[[nodiscard]] std::filesystem::path lasting_hook();

} // namespace memviz::hooks
