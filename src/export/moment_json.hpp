#pragma once

// A moment -> {"kind": "oom", "event": 421, "time_us": 1700000000000000 or null}, and "annotation" where that is the
// kind.

#include "memviz/moment.hpp"

#include <nlohmann/json.hpp>

namespace memviz {

[[nodiscard]] inline nlohmann::ordered_json moment_json(const Moment& moment) {
  nlohmann::ordered_json result{{"kind", moment_kind_name(moment.kind)}, {"event", moment.event}};
  result["time_us"] = moment.time_us ? nlohmann::ordered_json(*moment.time_us) : nlohmann::ordered_json(nullptr);
  if (moment.kind == MomentKind::annotation) result["annotation"] = moment.annotation;
  return result;
}

} // namespace memviz
