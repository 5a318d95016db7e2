#pragma once

// Text from a snapshot -> text that no continuous-integration system obeys. Runners read the log of a job line by line:
// GitHub takes `::name ...::` at the start of a line, blanks before it or not, and `##[name ...]` anywhere; Azure
// Pipelines `##vso[...]`, TeamCity `##teamcity[...]`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Returns, for each `##name[` in `text`, the offset of the second `#`, ascending.
[[nodiscard]] std::vector<std::size_t> hash_commands(std::string_view text);

/// Returns the offset of the second colon of each `::name ...::` that begins `text` or follows a blank, where a line
/// may be broken.
[[nodiscard]] std::vector<std::size_t> colon_commands(std::string_view text);

/// `text` with a space in the middle of what begins a command.
[[nodiscard]] std::string without_log_commands(std::string text);

} // namespace memviz
