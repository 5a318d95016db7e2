#pragma once

// The location of the made-up GPU next to memviz.

#include <filesystem>

namespace memviz::rehearse {

/// Returns the folder that holds libmemviz_rehearsal.so and the profiles: MEMVIZ_REHEARSAL_DIR, else `rehearsal` next
/// to `program` (this one), else lib/memviz/rehearsal of its prefix, whatever lib is called there, else
/// libexec/memviz/rehearsal, where a wheel puts it, because `pip install --target` omits a wheel's files for lib.
/// Throws Error that says where it looked.
[[nodiscard]] std::filesystem::path rehearsal_folder(const std::filesystem::path& program);
/// Returns a folder with the library under the names of CUDA's as well: `folder`, or, if its file `names` lists some
/// that are not in it, because a wheel cannot contain links, the new folder `room` of links. Throws
/// std::filesystem::filesystem_error.
[[nodiscard]] std::filesystem::path folder_with_names(const std::filesystem::path& folder,
                                                      const std::filesystem::path& room);

} // namespace memviz::rehearse
