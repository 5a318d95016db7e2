#include "cli/trace_range.hpp"

#include "cli/suggest.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace memviz::cli {

namespace {

template <class Number> std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// What follows `prefix`, if the text begins with it.
std::optional<std::string_view> after(std::string_view prefix, std::string_view text) {
  return text.starts_with(prefix) ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

TraceEnd annotation_end(std::string_view text) {
  TraceEnd end;
  end.kind = TraceEnd::Kind::annotation;
  end.name = text;
  const std::size_t mark = text.rfind('#');
  if (mark == std::string_view::npos) return end;
  const auto number = number_of<std::uint64_t>(text.substr(mark + 1));
  if (!number || *number == 0) return end; // the # is part of the name
  end.name = text.substr(0, mark);
  end.number = *number;
  return end;
}

/// The time of the START that is meant. A name that ends in #K may be whole: "ProfilerStep#3".
std::int64_t annotation_time(const TraceEnd& end, const Snapshot& snapshot) {
  std::vector<std::int64_t> times;
  std::set<std::string> names;
  const std::string whole = fmt::format("{}#{}", end.name, end.number);
  for (const Annotation& annotation : snapshot.annotations) {
    if (snapshot.frames.text(annotation.stage) == "END") continue;
    const std::string_view name = snapshot.frames.text(annotation.name);
    if (name == whole) return annotation.time_us;
    if (name == end.name) times.push_back(annotation.time_us);
    if (names.size() < 1000) names.emplace(name);
  }
  std::sort(times.begin(), times.end());
  if (end.number <= times.size()) return times[end.number - 1];
  if (!times.empty()) {
    throw UsageError(fmt::format("the recording has {} annotations '{}', not {}", times.size(), end.name, end.number));
  }
  if (names.empty()) throw UsageError("the recording has no annotations");
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string near = did_you_mean(end.name, candidates);
  throw UsageError(fmt::format("the recording has no annotation '{}'{}", end.name,
                               near.empty() ? fmt::format("; it has '{}'", *names.begin()) : near));
}

/// The event that an end of the range stands for, where it is not given by time.
std::optional<std::int64_t> event_of(const TraceEnd& end, const DeviceStats& stats) {
  switch (end.kind) {
  case TraceEnd::Kind::event: return static_cast<std::int64_t>(end.event);
  case TraceEnd::Kind::oom: return stats.last_oom_event < 0 ? std::nullopt : std::optional(stats.last_oom_event);
  case TraceEnd::Kind::peak: return std::max<std::int64_t>(stats.peak_event, 0);
  case TraceEnd::Kind::end: return static_cast<std::int64_t>(stats.events);
  case TraceEnd::Kind::time:
  case TraceEnd::Kind::annotation: break;
  }
  return std::nullopt;
}

bool is_time(const TraceEnd& end) {
  return end.kind == TraceEnd::Kind::time || end.kind == TraceEnd::Kind::annotation;
}

std::int64_t time_of(const TraceEnd& end, const Snapshot& snapshot) {
  return end.kind == TraceEnd::Kind::time ? end.time_us : annotation_time(end, snapshot);
}

void check_event(const std::optional<TraceEnd>& end, const std::vector<DeviceStats>& devices) {
  if (!end || end->kind != TraceEnd::Kind::event) return;
  std::uint64_t most = 0;
  for (const DeviceStats& stats : devices)
    most = std::max(most, stats.events);
  if (most == 0) throw UsageError("the recording has no events");
  if (end->event < most) return;
  throw UsageError(fmt::format("there is no event {}: the last one is {}", end->event, most - 1));
}

} // namespace

TraceEnd parse_trace_end(std::string_view option, const std::string& text) {
  TraceEnd end;
  if (const auto event = after("event:", text)) {
    const auto number = number_of<std::uint64_t>(*event);
    if (number && *number <= std::numeric_limits<std::int64_t>::max()) {
      end.kind = TraceEnd::Kind::event;
      end.event = *number;
      return end;
    }
  }
  if (const auto time = after("time:", text)) {
    if (const auto number = number_of<std::int64_t>(*time)) {
      end.kind = TraceEnd::Kind::time;
      end.time_us = *number;
      return end;
    }
  }
  if (const auto name = after("annotation:", text); name && !name->empty()) return annotation_end(*name);
  for (const auto& [word, kind] :
       {std::pair("oom", TraceEnd::Kind::oom), {"peak", TraceEnd::Kind::peak}, {"end", TraceEnd::Kind::end}}) {
    if (text != word) continue;
    end.kind = kind;
    return end;
  }
  throw UsageError(
      fmt::format("--{} must be event:N, time:US, annotation:NAME, oom, peak or end, not '{}'", option, text));
}

std::map<std::uint32_t, EventRange> trace_ranges(const TraceEnds& ends, const Snapshot& snapshot,
                                                 const std::vector<DeviceStats>& devices) {
  std::map<std::uint32_t, EventRange> ranges;
  check_event(ends.from, devices);
  check_event(ends.to, devices);
  for (const DeviceStats& stats : devices) {
    EventRange& range = ranges[stats.device];
    if (ends.from && is_time(*ends.from)) range.first_us = time_of(*ends.from, snapshot);
    if (ends.to && is_time(*ends.to)) range.last_us = time_of(*ends.to, snapshot);
    // A device without an out-of-memory error has nothing after it, and all before it.
    if (ends.from && !is_time(*ends.from))
      range.first_event =
          static_cast<std::uint64_t>(event_of(*ends.from, stats).value_or(std::numeric_limits<std::int64_t>::max()));
    if (ends.to && !is_time(*ends.to)) {
      const auto last = event_of(*ends.to, stats);
      if (last) range.last_event = static_cast<std::uint64_t>(*last);
    }
  }
  const bool needs_oom =
      (ends.from && ends.from->kind == TraceEnd::Kind::oom) || (ends.to && ends.to->kind == TraceEnd::Kind::oom);
  const bool has_oom =
      std::any_of(devices.begin(), devices.end(), [](const DeviceStats& stats) { return stats.ooms > 0; });
  if (needs_oom && !has_oom) throw UsageError("the recording has no out-of-memory error");
  return ranges;
}

} // namespace memviz::cli
