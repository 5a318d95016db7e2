#pragma once

// Where the made-up GPU lies beside memviz, and what is known of each GPU that it can stand in for.

#include "memviz/fit.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// The folder that holds libmemviz_rehearsal.so and the profiles: MEMVIZ_REHEARSAL_DIR, else `rehearsal` beside
/// `program` (this one), else lib/memviz/rehearsal of its prefix, whatever
/// lib is called there, else libexec/memviz/rehearsal, where a wheel puts it: `pip install --target` leaves out what a
/// wheel has for lib. Throws Error that says where it looked.
[[nodiscard]] std::filesystem::path rehearsal_folder(const std::filesystem::path& program);
/// A folder with the library under the names of CUDA's, too: `folder`, or, where its file `names` has some that are not
/// in it, because a wheel cannot carry links, the new folder `room` of links. Throws std::filesystem::filesystem_error.
[[nodiscard]] std::filesystem::path folder_with_names(const std::filesystem::path& folder,
                                                      const std::filesystem::path& room);
/// This program's own file.
[[nodiscard]] std::filesystem::path own_program();

/// Names of the profiles in `folder`, sorted.
[[nodiscard]] std::vector<std::string> profile_names(const std::filesystem::path& folder);
/// The file of the profile `name`, or, where there is a '/' in it, that file. Throws UsageError, with a near name.
[[nodiscard]] std::filesystem::path profile_file(const std::filesystem::path& folder, const std::string& name);
/// What memviz itself has to know of it; the library checks the rest. Throws UsageError.
[[nodiscard]] Profile read_profile(const std::filesystem::path& file);

} // namespace memviz::rehearse
