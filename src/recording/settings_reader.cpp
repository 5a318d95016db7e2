#include "recording/settings_reader.hpp"

#include "recording/value_text.hpp"
#include "value/field.hpp"

#include <limits>

namespace memviz {

void read_settings(const Document& document, Value settings, FrameReader& texts, Budget& budget, Recording& recording) {
  const Field field{settings, nullptr, "allocator_settings"};
  // The maximum text of settings; genuine ones have some hundreds of bytes. Many keys below one long key, or many with
  // one long value, would expand to that much each.
  constexpr std::size_t kMostTextBytes = std::size_t{16} << 20U;
  std::size_t text_bytes = 0;
  const auto add = [&](const std::string& key, Value value) {
    budget.spend(1, field);
    const std::string text = value_text(document, value);
    text_bytes += key.size() + text.size();
    if (text_bytes > kMostTextBytes) field.fail("settings of at most 16 MiB of text", "more");
    recording.settings.emplace_back(texts.text(TextKind::setting_key, key), texts.text(TextKind::setting, text));
  };
  document.for_each_item(settings, [&](Value key, Value value) {
    const std::string name = value_text(document, key);
    if (value.kind() != Kind::dict) return add(name, value);
    document.for_each_item(
        value, [&](Value inner_key, Value inner) { add(name + "." + value_text(document, inner_key), inner); });
  });
  if (const Value overflowed = document.get(settings, "trace_alloc_overflowed"); overflowed.kind() != Kind::unset) {
    recording.trace_overflowed = document.as_signed(overflowed).value_or(0) != 0;
  }
  const Value recorded = document.get(settings, "memviz_recording");
  if (recorded.kind() == Kind::text && document.text(recorded) == "cpu") recording.origin.device_kind = DeviceKind::cpu;
  const auto cpu_device = document.as_unsigned(document.get(settings, "memviz_cpu_device"));
  if (cpu_device && *cpu_device <= std::numeric_limits<std::uint32_t>::max())
    recording.origin.cpu_device = DeviceId{static_cast<std::uint32_t>(*cpu_device)};
  recording.trace_max_entries = document.as_unsigned(document.get(settings, "trace_alloc_max_entries"));
}

} // namespace memviz
