#pragma once

// The options that choose a device (--device), a moment (--at) and a range of events (--from, --to).

#include "answers/option.hpp"
#include "memviz/answers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// `usual`: the scope without these options, for the help.
[[nodiscard]] OptionList<Scope> scope_options(const Scope& usual);

/// Parses the value of --device. Throws UsageError.
[[nodiscard]] std::optional<DeviceId> parse_device(std::string_view option, const std::string& word);
[[nodiscard]] OptionText device_text();

/// Parses the value of an option that names an event: its index, alone or in the form of --at. Throws UsageError.
[[nodiscard]] std::uint64_t parse_event(std::string_view option, const std::string& word);
/// Defines --from and --to for a snapshot that is written anew.
[[nodiscard]] OptionList<SnapshotQuestion> snapshot_part_options();

} // namespace memviz
