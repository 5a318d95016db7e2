#pragma once

// The need of the pass in which a request failed -> sentences, and whether a change covers it.

#include "memviz/explain.hpp"

#include <cstdint>
#include <string>

namespace memviz {

/// Returns how far the pass has come and what it lacks; "" if a first step says it, or nothing is known.
[[nodiscard]] std::string pass_text(const DeviceExplanation& device);

/// Returns the bytes that the pass lacks, at least; the request's own if nothing more is known.
[[nodiscard]] std::uint64_t lacking_bytes(const DeviceExplanation& device);

/// Whether the program may go on with this change: it does by the pass before, or no pass before shows what follows and
/// nothing is known to be missing.
[[nodiscard]] bool may_go_on(const DeviceExplanation& device, const WhatIf& answer);
/// "the program goes on as in the pass before, with 1.20 GiB left": the effect of a change with which the request fits.
[[nodiscard]] std::string effect_text(const DeviceExplanation& device, const WhatIf& answer);
/// ", but the pass needs 1.90 GiB more": the reason why a change with which the request fits is not advised; "" if
/// there is none.
[[nodiscard]] std::string shortfall_text(const DeviceExplanation& device, const WhatIf& answer);

} // namespace memviz
