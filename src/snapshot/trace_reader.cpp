#include "snapshot/trace_reader.hpp"

#include "snapshot/segment_reader.hpp"
#include "snapshot/value_text.hpp"

#include <fmt/format.h>

namespace memviz {
namespace {

namespace event_field {
enum {
  action,
  addr,
  device_free,
  size,
  stream,
  time_us,
  frames,
  compile_context,
  user_metadata,
  pool_id,
  forward_frames
};
}
namespace annotation_field {
enum { name, stage, device, time_us };
}

/// Whether the accounts depend on the size of such an event.
bool needs_size(Action action) {
  return action != Action::other && action != Action::snapshot && action != Action::free_requested;
}

} // namespace

TraceReader::TraceReader(const Document& document, FrameReader& frames, Budget& budget, Snapshot& snapshot,
                         EventSink& sink)
    : document_(document), frames_(frames), budget_(budget), snapshot_(snapshot), sink_(sink), check_(document),
      fields_(document, {"action", "addr", "device_free", "size", "stream", "time_us", "frames", "compile_context",
                         "user_metadata", "pool_id", "forward_frames"}),
      annotation_fields_(document, {"name", "stage", "device", "time_us"}) {
}

void TraceReader::read_traces(Value device_traces) {
  budget_.spend(document_.list_size(device_traces), Where{nullptr, "device_traces"}, device_traces);
  std::size_t device = 0;
  document_.for_each(device_traces, [&](Value events) {
    const Where where{nullptr, "device_traces", device++};
    check_.require(events, Kind::list, where, device_traces);
    budget_.spend(document_.list_size(events), where, events);
    std::uint64_t& count = snapshot_.event_counts.emplace_back(0);
    document_.for_each(events, [&](Value dict) {
      const Where event_where{&where, "", static_cast<std::size_t>(count)};
      check_.require(dict, Kind::dict, event_where, events);
      batch_.push_back(read_event(dict, event_where));
      if (++count % kBatchEvents == 0) hand_over();
      return true;
    });
    hand_over();
    return true;
  });
}

void TraceReader::hand_over() {
  const std::size_t device = snapshot_.event_counts.size() - 1;
  sink_.take(static_cast<std::uint32_t>(device), batch_);
  batch_.clear();
}

Event TraceReader::read_event(Value dict, const Where& where) {
  namespace field = event_field;
  const auto row = fields_.read(dict);
  const auto at = [&](std::string_view key) { return Where{&where, key}; };

  Event event;
  event.action = read_action(row[field::action], event, at("action"), dict);
  const Value address = is_present(row[field::addr]) ? row[field::addr] : row[field::device_free];
  if (is_present(address)) event.address = check_.bits(address, at("addr"), dict);
  if (is_present(row[field::size]) || needs_size(event.action)) {
    event.size_bytes = check_.size(row[field::size], at("size"), dict);
  }
  if (is_present(row[field::stream])) {
    event.stream = static_cast<std::int64_t>(check_.bits(row[field::stream], at("stream"), dict));
  }
  event.stack = frames_.stack(row[field::frames], at("frames"), dict);
  if (const auto time_us = document_.as_signed(row[field::time_us])) {
    event.time_us = time_us;
    saw_time_ = true;
  }
  event.compile_context = text_or_empty(row[field::compile_context]);
  event.user_metadata = text_or_empty(row[field::user_metadata]);
  saw_compile_context_ = saw_compile_context_ || is_present(row[field::compile_context]);
  saw_user_metadata_ = saw_user_metadata_ || is_present(row[field::user_metadata]);
  if (is_present(row[field::pool_id])) {
    event.pool = read_pool_id(document_, row[field::pool_id], at("pool_id"), dict);
    saw_pool_ = true;
  }
  if (is_present(row[field::forward_frames])) {
    event.forward_stack = frames_.text_stack(row[field::forward_frames], at("forward_frames"), dict);
    saw_pool_ = true;
  }
  return event;
}

Action TraceReader::read_action(Value text, Event& event, const Where& where, Value dict) {
  check_.require(text, Kind::text, where, dict);
  const auto [entry, is_new] = actions_.try_emplace(text.bits(), Action::other);
  if (is_new) entry->second = action_of(document_.text(text));
  if (entry->second == Action::other) event.action_text = snapshot_.frames.intern(document_.text(text));
  return entry->second;
}

StringId TraceReader::text_or_empty(Value value) {
  return value.kind() == Kind::text ? snapshot_.frames.intern(document_.text(value)) : kEmptyString;
}

void TraceReader::read_annotations(Value annotations) {
  budget_.spend(document_.list_size(annotations), Where{nullptr, "external_annotations"}, annotations);
  std::size_t index = 0;
  document_.for_each(annotations, [&](Value dict) {
    const Where where{nullptr, "external_annotations", index++};
    check_.require(dict, Kind::dict, where, annotations);
    const auto row = annotation_fields_.read(dict);
    Annotation annotation;
    annotation.name = text_or_empty(row[annotation_field::name]);
    annotation.stage = text_or_empty(row[annotation_field::stage]);
    annotation.device = static_cast<std::uint32_t>(document_.as_unsigned(row[annotation_field::device]).value_or(0));
    annotation.time_us = document_.as_signed(row[annotation_field::time_us]).value_or(0);
    document_.for_each_item(dict, [&](Value key, Value value) {
      const std::string_view name = key.kind() == Kind::text ? document_.text(key) : "";
      if (name == "name" || name == "stage" || name == "device" || name == "time_us") return;
      budget_.spend(1, where, dict);
      annotation.metadata.emplace_back(snapshot_.frames.intern(value_text(document_, key)),
                                       snapshot_.frames.intern(value_text(document_, value)));
    });
    snapshot_.annotations.push_back(std::move(annotation));
    return true;
  });
}

} // namespace memviz
