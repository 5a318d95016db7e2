#pragma once

// Text from a snapshot -> text that no continuous-integration system obeys. Runners read the log of a job line by line:
// GitHub takes `::name ...::` at the start of a line, blanks before it or not, and `##[name ...]` anywhere; Azure
// Pipelines `##vso[...]`, TeamCity `##teamcity[...]`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Of each `##name[` in `text`, ascending: where the second `#` stands.
[[nodiscard]] std::vector<std::size_t> hash_commands(std::string_view text);

/// Of each `::name ...::` that begins `text` or stands behind a blank, where a line may be broken: its second colon.
[[nodiscard]] std::vector<std::size_t> colon_commands(std::string_view text);

/// `text` with a space in the middle of what begins a command.
[[nodiscard]] std::string without_log_commands(std::string text);

} // namespace memviz
