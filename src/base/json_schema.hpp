#pragma once

// The beginning of every JSON document that memviz writes: {"schema": "memviz.stats/1.3", "memviz": "0.2.0", ... The
// schemas are docs/schemas/NAME.json. The first number rises when a name or a meaning changes, the second when
// something is added.

#include "base/json_writer.hpp"
#include "memviz/version.hpp"

#include <string_view>

namespace memviz {

inline JsonWriter& begin_document(JsonWriter& json, std::string_view schema) {
  return json.begin_object().member("schema", schema).member("memviz", version());
}

} // namespace memviz
