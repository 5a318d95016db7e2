#pragma once

// A device in JSON: "device": 0, "device": "host".

#include "base/json_writer.hpp"
#include "memviz/label.hpp"

namespace memviz {

inline JsonWriter& write_device_key(JsonWriter& json, DeviceId device) {
  json.key("device");
  return is_host(device) ? json.value(device_word(device)) : json.value(device.value);
}

} // namespace memviz
