#include "export/device_json.hpp"

namespace memviz {

void DeviceForm::write_rules(SchemaWriter& writer, const ValueRule& rule) const {
  const auto write_definition = [](SchemaWriter& to, const void* /*content*/) {
    to.json().member("description", "The number of a GPU, or host for pinned host memory").key("anyOf").begin_array();
    to.json().begin_object().member("type", "integer").member("minimum", 0).end_object();
    to.json().begin_object().member("const", "host").end_object().end_array();
  };
  if (rule.may_be_null) throw std::logic_error("JSON Schema: a device that may be null");
  writer.refer("device", &kDeviceForm, write_definition);
}

void DeviceForm::read(const Document& document, const Field& field, DeviceId& device) const {
  const auto number = document.as_unsigned(field.value);
  const bool is_on_host = field.value.kind() == Kind::text && document.text(field.value) == device_word(kHostDevice);
  if (!is_on_host && (!number || *number >= kHostDevice.value)) field.fail("a device", value_name(field.value.kind()));
  device = is_on_host ? kHostDevice : DeviceId{static_cast<std::uint32_t>(*number)};
}

} // namespace memviz
