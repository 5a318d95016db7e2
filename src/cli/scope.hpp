#pragma once

// Which device and which moment a command looks at: --device and --at.

#include "cli/option.hpp"
#include "memviz/moment_choice.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::cli {

struct Scope {
  std::optional<DeviceId> device; ///< nothing: all of them
  MomentChoice at;                ///< without the device
};

/// Where nothing is said of --at: of each device its out-of-memory error, else its peak, else its end.
[[nodiscard]] Scope automatic_scope();

/// Where nothing is said: of each device its peak.
[[nodiscard]] Scope peak_scope();

/// `usual` says for the help what the moment is without --at.
[[nodiscard]] OptionList<Scope> scope_options(std::string_view usual);

/// The value of --device. Throws UsageError.
[[nodiscard]] std::optional<DeviceId> parse_device(std::string_view option, const std::string& word);
[[nodiscard]] OptionText device_text();

/// A moment given by the index of an event is one of the device chosen.
[[nodiscard]] MomentChoice moment_of(MomentChoice choice, std::optional<DeviceId> device);
[[nodiscard]] inline MomentChoice moment_of(const Scope& scope) {
  return moment_of(scope.at, scope.device);
}

/// Throws UsageError, with the devices present, when the file has nothing on `device`.
void check_device(const std::string& file, const Recording& recording, std::optional<DeviceId> device);

} // namespace memviz::cli
