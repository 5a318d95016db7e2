#pragma once

// A folder for PYTHONPATH that brings memviz's recorder into every Python: a sitecustomize, and the package
// memviz_recording.

#include <filesystem>

namespace memviz::hooks {

/// Writes them, for this user alone, into a folder that is there. Throws Error.
void write_hook(const std::filesystem::path& folder);

/// A folder that outlives this process, because the program that replaces it needs the files: memviz/hook-... of the
/// user's cache (XDG_CACHE_HOME, ~/.cache), one for each content; a new private one in TMPDIR where the cache cannot be
/// written, or where others could change what is in it. Throws Error where neither is possible.
[[nodiscard]] std::filesystem::path lasting_hook();

} // namespace memviz::hooks
