#pragma once

// The name of a file -> whether it is that of a snapshot, and what is left without its usual endings.

#include <string_view>

namespace memviz {

/// Returns a name without ".gz", ".zst", ".xz" or ".bz2".
[[nodiscard]] std::string_view without_compression(std::string_view name);

/// Returns a name without that and the ending of an archive (.zip, .tar, .tgz).
[[nodiscard]] std::string_view without_packing(std::string_view name);

/// Whether a name, without that of its compression, has the ending of an archive.
[[nodiscard]] bool has_archive_ending(std::string_view name);

/// Returns the name of a snapshot without that and the usual ending (.pickle, .pkl, .pt, .json, .ndjson).
[[nodiscard]] std::string_view snapshot_stem(std::string_view name);

/// Whether a name has one of these endings, or that of an archive.
[[nodiscard]] bool has_snapshot_ending(std::string_view name);

} // namespace memviz
