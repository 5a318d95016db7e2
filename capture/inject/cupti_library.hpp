#pragma once

// The path of CUPTI: a library of the CUDA toolkit whose name has CUDA's version, and with which a program that is to
// be recorded need not be linked.

#include <filesystem>
#include <string>
#include <vector>

namespace memviz::inject {

struct CuptiSearch {
  std::filesystem::path named;                ///< MEMVIZ_CUPTI; empty: not named
  std::vector<std::string> names;             ///< "libcupti.so.13": the best first
  std::vector<std::filesystem::path> folders; ///< where the dynamic linker does not look by itself
};

/// The names for a driver of this CUDA version (13000 for 13.0): an older CUPTI works with a newer driver, a newer one
/// does not with an older. 0: unknown.
[[nodiscard]] std::vector<std::string> cupti_names(int driver_version);

/// Next to the CUDA libraries that the process has loaded, in pip's layout next to theirs, and in the toolkit's
/// folders.
[[nodiscard]] std::vector<std::filesystem::path> cupti_folders();

/// The library as dlopen() returns it: the one that is named; else one that is loaded, one that the dynamic linker
/// finds, one from a folder. Throws std::runtime_error that says what is missing.
[[nodiscard]] void* open_cupti(const CuptiSearch& search);

} // namespace memviz::inject
