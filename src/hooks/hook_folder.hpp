#pragma once

// A folder for PYTHONPATH that adds memviz's recorder to every Python: a sitecustomize, and the package
// memviz_recording.

#include <filesystem>

namespace memviz::hooks {

/// Writes them, readable by this user alone, into an existing folder. Throws Error.
void write_hook(const std::filesystem::path& folder);

/// Returns an entry for PYTHONPATH that outlives this process's program, because the program that replaces it needs the
/// files: the folder memviz/hook-... of the user's cache (XDG_CACHE_HOME, ~/.cache), one for each content; an archive
/// in memory, which leaves nothing behind, if the cache cannot be written, or if others could change its contents.
/// Throws Error if neither is possible.
[[nodiscard]] std::filesystem::path lasting_hook();

} // namespace memviz::hooks
