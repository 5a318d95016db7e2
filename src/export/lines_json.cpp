#include "export/lines_json.hpp"

namespace memviz {

void write_callers(JsonWriter& json, std::span<const std::string> callers) {
  if (callers.empty()) return;
  json.key("callers").begin_array();
  for (const std::string& caller : callers)
    json.value(caller);
  json.end_array();
}

} // namespace memviz
