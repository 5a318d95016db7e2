#pragma once

// Text from a snapshot -> text that no continuous-integration system executes. Runners scan the log of a job line by
// line for commands: GitHub `::name ...::` at the start of a line, after optional blanks, and `##[name ...]` anywhere;
// Azure Pipelines `##vso[...]`, TeamCity `##teamcity[...]`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Returns, for each `##name[` in `text`, the offset of the second `#`, ascending.
[[nodiscard]] std::vector<std::size_t> hash_commands(std::string_view text);

/// Returns the offset of the second colon of each `::name ...::` that begins `text` or follows a blank, where a line
/// may be wrapped.
[[nodiscard]] std::vector<std::size_t> colon_commands(std::string_view text);

/// Returns `text` with a space inserted into each command.
[[nodiscard]] std::string without_log_commands(std::string text);

} // namespace memviz
