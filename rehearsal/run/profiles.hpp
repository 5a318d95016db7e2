#pragma once

// The GPUs that can be made up: their files, and the names that people use for them.

#include "verdict/fit.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// Returns the names of the profiles that memviz is built with, sorted.
[[nodiscard]] std::vector<std::string_view> known_gpus();
/// Returns the names of the profiles in `folder`, sorted.
[[nodiscard]] std::vector<std::string> profile_names(const std::filesystem::path& folder);

/// Returns the file of the profile that `name` means, or, if it contains a '/', that file. Case, spaces and hyphens do
/// not matter, nor do NVIDIA, GeForce, Tesla, RTX and GB: "4090", "RTX 4090" and "A100-80GB" are names, and so are the
/// device's own name and the beginning of a name that no other GPU has. Throws UsageError, with the candidates if there
/// are several, and with the reason for a GPU that is not NVIDIA's.
[[nodiscard]] std::filesystem::path profile_file(const std::filesystem::path& folder, const std::string& name);

/// Reads the figures of a profile that memviz itself needs; the library checks the rest. Throws UsageError.
[[nodiscard]] Profile read_profile(const std::filesystem::path& file);

/// "h100,a100-40" -> both names. Throws UsageError if one is empty.
[[nodiscard]] std::vector<std::string> parse_gpus(std::string_view text);

} // namespace memviz::rehearse
