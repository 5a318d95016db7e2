#include "recording/profiler_events.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace memviz {
namespace {

constexpr std::uint64_t kMostDeviceBytes = std::uint64_t{1} << 50U;  // more than any device has
constexpr std::uint64_t kMostTraceAddress = std::uint64_t{1} << 62U; // with the bytes, still within 64 bits
constexpr double kMostTraceTime = 4e18;                              // fits a 64-bit integer

/// A key or a word of the trace, found once.
class TraceWord {
public:
  TraceWord(const Document& document, std::string_view text) : document_(document), value_(document.find_text(text)) {}
  [[nodiscard]] Value in(Value dict) const {
    return value_.kind() == Kind::unset || dict.kind() != Kind::dict ? Value() : document_.get(dict, value_);
  }
  [[nodiscard]] bool is(Value value) const {
    return value.kind() == Kind::text && value_.kind() == Kind::text && value.index() == value_.index();
  }

private:
  const Document& document_;
  Value value_;
};

std::optional<double> time_in(const Document& document, Value value) {
  std::optional<double> time;
  if (value.kind() == Kind::real)
    time = document.real(value);
  else if (const auto whole = document.as_signed(value))
    time = static_cast<double>(*whole);
  return time && std::abs(*time) < kMostTraceTime ? time : std::nullopt; // also nothing for NaN
}

class TraceEvents {
public:
  explicit TraceEvents(const Document& document) : document_(document) {
    const TraceWord base(document, "baseTimeNanoseconds");
    found_.base_ns = document.as_signed(base.in(document.root)).value_or(0);
  }

  [[nodiscard]] ProfilerEvents read() {
    document_.for_each(document_.get(document_.root, "traceEvents"), [&](Value event) {
      if (event.kind() == Kind::dict) read_event(event);
      return true;
    });
    const bool has_gpus = !gpu_.empty();
    found_.is_cpu = !has_gpus;
    found_.cpu_events = has_gpus ? cpu_.size() : 0;
    found_.memory = std::move(has_gpus ? gpu_ : cpu_);
    std::ranges::stable_sort(found_.memory, {}, &ProfilerMemoryEvent::time_us);
    std::ranges::stable_sort(found_.calls, {}, [](const ProfilerSpan& call) {
      return std::tuple(call.thread, call.begin_us, -call.end_us);
    });
    return std::move(found_);
  }

private:
  void read_event(Value event) {
    const std::optional<double> time = time_in(document_, time_.in(event));
    const Value name = name_.in(event);
    if (memory_.is(name))
      read_memory(event, time);
    else if (out_of_memory_.is(name))
      read_failure(args_.in(event));
    else if (time && complete_.is(phase_.in(event)) && name.kind() == Kind::text)
      read_span(event, {.begin_us = *time, .end_us = 0, .name = name});
  }

  void read_span(Value event, ProfilerSpan span) {
    const Value category = category_.in(event);
    const bool is_function = function_.is(category);
    const bool is_annotation = annotation_.is(category);
    if (!is_function && !is_annotation && !operator_.is(category)) return;
    span.thread = thread_of(event);
    if (span.thread == kNoThread) return;
    const double duration = time_in(document_, duration_.in(event)).value_or(0);
    span.end_us = span.begin_us + std::max(0.0, duration);
    found_.has_functions |= is_function;
    (is_annotation ? found_.annotations : found_.calls).push_back(span);
  }

  void read_failure(Value args) {
    if (found_.failed_requests++ == 0) found_.first_failed_bytes = total_in(bytes_.in(args)).value_or(0);
  }

  void read_memory(Value event, std::optional<double> time) {
    const Value args = args_.in(event);
    const auto bytes = document_.as_signed(bytes_.in(args));
    const auto address = document_.as_unsigned(address_.in(args));
    const auto type = document_.as_signed(device_type_.in(args));
    if (bytes && *bytes == 0) return;
    const bool is_known = time && bytes && address && type && *address < kMostTraceAddress;
    const std::uint64_t size = is_known ? static_cast<std::uint64_t>(*bytes < 0 ? -(*bytes + 1) : *bytes - 1) + 1 : 0;
    const auto index = document_.as_signed(device_id_.in(args)).value_or(0);
    const bool is_cpu = is_known && *type == 0;
    if (!is_known || size > kMostDeviceBytes ||
        (!is_cpu && (index < 0 || std::cmp_greater_equal(index, kMostDeviceIds)))) {
      ++found_.left_out_events;
      return;
    }
    (is_cpu ? cpu_ : gpu_)
        .push_back({.time_us = *time,
                    .address = *address,
                    .size_bytes = size,
                    .allocated_bytes = total_in(allocated_.in(args)),
                    .reserved_bytes = is_cpu ? std::nullopt : total_in(reserved_.in(args)), // 0 for the CPU
                    .device = {is_cpu ? 0U : static_cast<std::uint32_t>(index)},
                    .thread = thread_of(event),
                    .is_free = *bytes < 0});
  }

  [[nodiscard]] std::optional<std::uint64_t> total_in(Value value) const {
    const auto total = document_.as_unsigned(value);
    return total && *total <= kMostDeviceBytes ? total : std::nullopt;
  }

  /// Returns a number for the thread; kNoThread for rows of the trace that are not threads.
  [[nodiscard]] std::uint32_t thread_of(Value event) {
    const auto process = document_.as_signed(process_.in(event));
    const auto thread = document_.as_signed(thread_.in(event));
    if (!process || !thread) return kNoThread;
    const auto next = static_cast<std::uint32_t>(threads_.size() + 1);
    return threads_.try_emplace({*process, *thread}, next).first->second;
  }

  static constexpr std::uint32_t kNoThread = 0; ///< on which no call ran

  const Document& document_;
  TraceWord name_{document_, "name"}, phase_{document_, "ph"}, category_{document_, "cat"}, time_{document_, "ts"};
  TraceWord duration_{document_, "dur"}, process_{document_, "pid"}, thread_{document_, "tid"},
      args_{document_, "args"};
  TraceWord bytes_{document_, "Bytes"}, address_{document_, "Addr"}, device_type_{document_, "Device Type"};
  TraceWord device_id_{document_, "Device Id"}, allocated_{document_, "Total Allocated"};
  TraceWord reserved_{document_, "Total Reserved"}, memory_{document_, "[memory]"}, complete_{document_, "X"};
  TraceWord operator_{document_, "cpu_op"}, function_{document_, "python_function"};
  TraceWord out_of_memory_{document_, "[OutOfMemory]"};
  TraceWord annotation_{document_, "user_annotation"};
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> threads_; // balanced, whatever the numbers
  std::vector<ProfilerMemoryEvent> cpu_;
  std::vector<ProfilerMemoryEvent> gpu_;
  ProfilerEvents found_;
};

} // namespace

bool is_profiler_trace(const Document& document) {
  const Value root = document.root;
  return root.kind() == Kind::dict && document.get(root, "traceEvents").kind() == Kind::list &&
         document.get(root, "segments").kind() != Kind::list;
}

ProfilerEvents profiler_events(const Document& trace) {
  return TraceEvents(trace).read();
}

} // namespace memviz
