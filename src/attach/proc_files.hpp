#pragma once

// The files of /proc about a process, and the names in any folder.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace memviz::attach {

/// The path of /proc/`id`/`name`.
[[nodiscard]] std::string proc_path(pid_t id, std::string_view name);

/// Returns its content, at most 16 MiB; nullopt if it cannot be read.
[[nodiscard]] std::optional<std::string> proc_text(pid_t id, std::string_view name);

/// Returns the target of a link; "" if it cannot be read.
[[nodiscard]] std::string proc_link(pid_t id, std::string_view name);

/// Returns the names of what is in a folder; those read so far if it cannot be read, or vanishes meanwhile.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder);

/// Returns the words after "`name`:" in /proc/`id`/status; "" if there are none.
[[nodiscard]] std::string status_field(pid_t id, std::string_view name);

} // namespace memviz::attach
