#pragma once

// The path of CUPTI: a library of the CUDA toolkit whose name contains CUDA's version, and with which a recorded
// program need not be linked.

#include <filesystem>
#include <string>
#include <vector>

namespace memviz::inject {

struct CuptiSearch {
  std::filesystem::path named;                ///< MEMVIZ_CUPTI; empty: not given
  std::vector<std::string> names;             ///< "libcupti.so.13": the best first
  std::vector<std::filesystem::path> folders; ///< folders that the dynamic linker does not search
};

/// Returns the names for a driver of this CUDA version (13000 for 13.0): an older CUPTI works with a newer driver, but
/// not the reverse. 0: unknown.
[[nodiscard]] std::vector<std::string> cupti_names(int driver_version);

/// Returns folders next to the CUDA libraries that the process has loaded, next to them in pip's layout, and in the
/// toolkit.
[[nodiscard]] std::vector<std::filesystem::path> cupti_folders();

/// Returns the library from dlopen(): the given one; else a loaded one, one that the dynamic linker finds, or one from
/// a folder. Throws std::runtime_error that says what is missing.
[[nodiscard]] void* open_cupti(const CuptiSearch& search);

} // namespace memviz::inject
