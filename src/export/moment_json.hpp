#pragma once

// A moment -> {"kind": "oom", "event": 421, "time_us": 1700000000000000 or null}, and "annotation" if that is the kind.

#include "base/json_writer.hpp"
#include "memviz/moment.hpp"

namespace memviz {

inline void write_moment(JsonWriter& json, const Moment& moment) {
  json.begin_object().member("kind", moment_kind_name(moment.kind)).member("event", moment.event.number());
  json.member("time_us", moment.time_us);
  if (moment.kind == MomentKind::annotation) json.member("annotation", moment.annotation);
  json.end_object();
}

} // namespace memviz
