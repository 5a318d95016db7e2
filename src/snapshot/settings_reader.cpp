#include "snapshot/settings_reader.hpp"

#include "snapshot/fields.hpp"
#include "snapshot/value_text.hpp"

namespace memviz {

void read_settings(const Document& document, Value settings, Budget& budget, Snapshot& snapshot) {
  const Where where{nullptr, "allocator_settings"};
  // Genuine settings have some hundreds of bytes. Many keys below one long key would spell that out for each of them.
  constexpr std::size_t kMostKeyBytes = std::size_t{16} << 20U;
  std::size_t key_bytes = 0;
  const auto add = [&](const std::string& key, Value value) {
    budget.spend(1, where, settings);
    key_bytes += key.size();
    if (key_bytes > kMostKeyBytes) fail_at(where, settings, "settings with keys of at most 16 MiB together", "more");
    snapshot.settings.emplace_back(snapshot.frames.intern(key), snapshot.frames.intern(value_text(document, value)));
  };
  document.for_each_item(settings, [&](Value key, Value value) {
    const std::string name = value_text(document, key);
    if (value.kind() != Kind::dict) return add(name, value);
    document.for_each_item(
        value, [&](Value inner_key, Value inner) { add(name + "." + value_text(document, inner_key), inner); });
  });
  if (const Value overflowed = document.get(settings, "trace_alloc_overflowed"); overflowed.kind() != Kind::unset) {
    snapshot.trace_overflowed = document.as_signed(overflowed).value_or(0) != 0;
  }
  const Value recording = document.get(settings, "memviz_recording");
  snapshot.origin.is_cpu = recording.kind() == Kind::text && document.text(recording) == "cpu";
  snapshot.trace_max_entries = document.as_unsigned(document.get(settings, "trace_alloc_max_entries"));
}

} // namespace memviz
