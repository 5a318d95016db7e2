#pragma once

#include "base/json_object.hpp"
#include "memviz/rehearsal.hpp"

namespace memviz {

inline constexpr auto kRehearsal = json_object<Rehearsal>(
    {.meaning = "Only of files that `memviz rehearse` recorded: the made-up GPU", .name = "rehearsal"},
    member("gpu", "Name of the GPU that was made up", &Rehearsal::gpu),
    member("profile", "Name of its profile", &Rehearsal::profile),
    member("total_bytes", "Its memory, bytes; null where the file does not say", &Rehearsal::total_bytes));

} // namespace memviz
