#pragma once

// A moment -> {"kind": "oom", "event": 421, "time_us": 1700000000000000 or null}, and "annotation" if that is the kind.

#include "base/json_object.hpp"
#include "memviz/moment.hpp"

namespace memviz {

inline constexpr auto kMoment = json_object<Moment>(
    {.meaning = "A moment of a device's recording", .name = "moment"},
    member("kind", "How it was chosen; end also where a device has no such event", &Moment::kind,
           named(moment_kind_name, MomentKind::end, MomentKind::annotation).without(MomentKind::automatic)),
    member("event", "Index of the last event that has happened, from 0; -1: before the first",
           [](const Moment& moment) { return moment.event.number(); })
        .at_least(-1),
    member("time_us", "Time of that event, microseconds since 1970; null where events have no times", &Moment::time_us),
    member("annotation", "Its name, where the moment is the start of an annotation", &Moment::annotation)
        .when([](const Moment& moment) { return moment.kind == MomentKind::annotation; }));

} // namespace memviz
