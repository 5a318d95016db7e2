#include "memviz/trace_json.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "export/rehearsal_json.hpp"
#include "memviz/warnings.hpp"

namespace memviz {

std::string trace_json_head(const std::string& file, const MemoryState& state, const TraceSurvey& survey,
                            std::optional<DeviceId> device) {
  std::string text;
  JsonWriter json(text);
  begin_document(json, "memviz.trace/1.0").member("file", file);
  write_rehearsal(json, state.recording->origin.rehearsal);
  json.key("devices").begin_array();
  for (const DeviceState& device_state : state.devices_of(device)) {
    const TraceSurvey::Device& seen = survey.device(device_state.device);
    write_device_key(json.begin_object(), device_state.device)
        .member("events", seen.events)
        .member("first_us", seen.first_us)
        .member("last_us", seen.last_us)
        .end_object();
  }
  json.end_array().member("warnings", warnings_of(state)).key("lines").begin_array();
  return text; // the log goes on here
}

std::string_view trace_json_tail() {
  return "\n  ]\n}\n";
}

} // namespace memviz
