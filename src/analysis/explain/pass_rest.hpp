#pragma once

// The events before a failed request -> what follows it if the program goes on as it did after the same request of a
// pass before: an allocation is the same if it has the same stack, and is as many allocations of that stack after the
// beginning of its pass.

#include "analysis/steps/passes.hpp"
#include "memviz/pass_need.hpp"
#include "memviz/what_if.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace memviz {

/// Returns the indices of the events with which passes begin, after the first: `changes` are those of the device.
[[nodiscard]] std::vector<std::uint64_t> pass_starts(std::span<const PassChange> changes);

/// `starts` ascend; those after the request are ignored. `is_made_once` returns whether later passes do not repeat the
/// allocation of an event, as for the optimizer's state. `available_bytes` of the result is left at 0.
[[nodiscard]] PassRest rest_of_pass(const LeadUp& lead_up, const Request& request,
                                    std::span<const std::uint64_t> starts,
                                    const std::function<bool(std::size_t)>& is_made_once);

/// Returns the most by which live memory still rises if no allocation is made for which `is_left_out` is true, by its
/// event; negative if live memory then never reaches the level of the request. `live_bytes`: of such blocks, alive now.
[[nodiscard]] std::int64_t rise_without(const LeadUp& lead_up, const PassRest& rest, std::uint64_t live_bytes,
                                        const std::function<bool(std::size_t)>& is_left_out);

} // namespace memviz
