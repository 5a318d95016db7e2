#include "formats/snapshot_facts.hpp"

#include "base/whole_number.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/recorder.hpp"
#include "recording/keys.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>

namespace memviz {
namespace {

constexpr std::string_view name_before_dot(std::string_view key) {
  const std::size_t dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

/// Returns the value that the reader would convert to `text`: a number or a bool if it looks like one.
void write_setting(const FactsOutput& output, std::string_view text, StringId id) {
  const auto number = whole_number<std::int64_t>(text);
  if (number && fmt::format("{}", *number) == text) return output.pickle.integer(*number);
  if (text == "True" || text == "False") return output.pickle.boolean(text == "True");
  if (text == "None") return output.pickle.none();
  output.frames.text(id);
}

using Setting = std::pair<StringId, StringId>;

/// Counts the settings from `first` on that belong to one nested dict: 0 if its name is not new to the file.
std::size_t nested_count(const Recording& recording, std::size_t first, std::set<std::string_view>& names) {
  const auto name_of = [&](std::size_t i) {
    return name_before_dot(recording.frames.text(recording.settings[i].first));
  };
  const std::string_view name = name_of(first);
  if (name.empty() || !names.insert(name).second) return 0;
  std::size_t end = first;
  while (end < recording.settings.size() && name_of(end) == name)
    ++end;
  return end - first;
}

} // namespace

void write_settings(const FactsOutput& output, const Recording& recording) {
  if (recording.settings.empty() && !recording.origin.signs.has_settings) return;
  PickleWriter& pickle = output.pickle;
  pickle.word(kRootKeys.name("allocator_settings"));
  pickle.begin_dict();
  std::set<std::string_view> names; // names that are not part of a nested dict, and names of nested dicts
  for (const auto& [key, value] : recording.settings)
    if (const auto text = recording.frames.text(key); name_before_dot(text).empty()) names.insert(text);
  for (std::size_t i = 0; i < recording.settings.size();) {
    const std::size_t nested = nested_count(recording, i, names);
    const std::size_t end = i + (nested == 0 ? 1 : nested);
    const std::string_view name =
        nested == 0 ? "" : name_before_dot(recording.frames.text(recording.settings[i].first));
    if (nested > 0) {
      pickle.word(name);
      pickle.begin_dict();
    }
    for (; i < end; ++i) {
      const auto& [key, value] = recording.settings[i];
      const std::string_view text = recording.frames.text(key);
      pickle.word(nested == 0 ? text : text.substr(name.size() + 1));
      write_setting(output, recording.frames.text(value), value);
    }
    if (nested > 0) pickle.end_dict();
  }
  pickle.end_dict();
}

namespace {

/// The times of the written events of a device; unbounded on a side where none is omitted.
struct TimeRange {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

TimeRange times_of(const MemoryState& state, const SnapshotPart& part, DeviceId device) {
  TimeRange range;
  const EventTable& events = state.recording->events_of(device);
  if (part.first_event > 0 && part.first_event < events.size())
    range.first = events[static_cast<std::size_t>(part.first_event)].time_us.value_or(range.first);
  const DeviceState* const at = state.device_at(device);
  if (at != nullptr && !at->moment.is_end()) range.last = at->moment.time_us.value_or(range.last);
  return range;
}

void write_annotation(const FactsOutput& output, const Annotation& annotation) {
  PickleWriter& pickle = output.pickle;
  pickle.begin_dict();
  pickle.word(kAnnotationKeys.name("name"));
  output.frames.text(annotation.name);
  if (annotation.stage != kEmptyString) {
    pickle.word(kAnnotationKeys.name("stage"));
    output.frames.text(annotation.stage);
  }
  pickle.word(kAnnotationKeys.name("device"));
  pickle.unsigned_integer(annotation.device.value);
  pickle.word(kAnnotationKeys.name("time_us"));
  pickle.integer(annotation.time_us);
  for (const auto& [key, value] : annotation.metadata) {
    output.frames.text(key);
    output.frames.text(value);
  }
  pickle.end_dict();
}

} // namespace

void write_annotations(const FactsOutput& output, const MemoryState& state, const SnapshotPart& part) {
  const Recording& recording = *state.recording;
  if (recording.annotations.empty() && !recording.origin.signs.has_annotations) return;
  ByDevice<TimeRange> times;
  for (const DeviceState& device : state.devices)
    times.make(device.device) = times_of(state, part, device.device);
  std::vector<const Annotation*> written;
  for (const Annotation& annotation : recording.annotations) {
    const TimeRange* const range = times.find(annotation.device);
    if (part.device && annotation.device != *part.device) continue;
    if (range == nullptr || (annotation.time_us >= range->first && annotation.time_us <= range->last))
      written.push_back(&annotation);
  }
  output.pickle.word(kRootKeys.name("external_annotations"));
  output.pickle.list(written.size(), [&](std::size_t i) { write_annotation(output, *written[i]); });
}

namespace {

/// Kinds that keepers show are read from them again.
bool is_by_program(const DeclaredMemory& one) {
  return one.evidence == KindEvidence::declared;
}

DeclaredTable declared_in(const MemoryState& state, const SnapshotPart& part) {
  DeclaredTable table;
  if (are_at_end(state.devices)) {
    for (const DeclaredMemory& one : state.recording->declared)
      if (is_by_program(one) && (!part.device || one.device == *part.device)) table.push_back(one);
    return table;
  }
  for (const Segment& segment : state.segments_of(part.device))
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (const auto* const one = declared_of(state, segment.device, i); one != nullptr && is_by_program(*one))
        table.push_back(*one);
  return table;
}

void write_tensor(const FactsOutput& output, const DeclaredMemory& one) {
  PickleWriter& pickle = output.pickle;
  pickle.begin_kept_list();
  pickle.unsigned_integer(one.device.value);
  pickle.unsigned_integer(one.address);
  pickle.unsigned_integer(one.size_bytes);
  pickle.word(kind_name(one.kind));
  output.frames.text(one.name);
  pickle.end_kept_list();
}

void write_measured(PickleWriter& pickle, const MeasuredDevice& device) {
  const auto member = [&](std::string_view key, const std::optional<std::uint64_t>& value) {
    if (!value) return;
    pickle.word(key);
    pickle.unsigned_integer(*value);
  };
  pickle.begin_dict();
  member("device", device.device.value);
  member("total_bytes", device.total_bytes);
  member("own_outside_bytes", device.own_outside_bytes);
  member("other_processes", device.other_processes);
  member("other_processes_bytes", device.other_processes_bytes);
  pickle.end_dict();
}

} // namespace

void write_recorder(const FactsOutput& output, const MemoryState& state, const SnapshotPart& part) {
  const Recording& recording = *state.recording;
  if (std::ranges::none_of(recording.declared, is_by_program) && recording.measured.empty()) return;
  PickleWriter& pickle = output.pickle;
  const DeclaredTable declared = declared_in(state, part);
  std::vector<MeasuredDevice> measured;
  for (const MeasuredDevice& device : recording.measured)
    if (!part.device || device.device == *part.device) measured.push_back(device);
  pickle.word(kRootKeys.name("memviz_recorder"));
  pickle.begin_dict();
  pickle.word("format");
  pickle.integer(1);
  pickle.word("devices");
  pickle.list(measured.size(), [&](std::size_t i) { write_measured(pickle, measured[i]); });
  pickle.word("tensors");
  pickle.list(declared.size(), [&](std::size_t i) { write_tensor(output, declared[i]); });
  pickle.end_dict();
}

void write_rehearsal(const FactsOutput& output, const Recording& recording) {
  if (!recording.origin.rehearsal) return;
  const Rehearsal& rehearsal = *recording.origin.rehearsal;
  PickleWriter& pickle = output.pickle;
  pickle.word(kRootKeys.name("memviz_rehearsal"));
  pickle.begin_dict();
  pickle.word("gpu");
  pickle.word(rehearsal.gpu);
  pickle.word("profile");
  pickle.word(rehearsal.profile);
  if (rehearsal.total_bytes) {
    pickle.word("total_bytes");
    pickle.unsigned_integer(*rehearsal.total_bytes);
  }
  pickle.end_dict();
}

} // namespace memviz
