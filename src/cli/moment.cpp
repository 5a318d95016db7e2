#include "cli/moment.hpp"

#include "cli/common_options.hpp"
#include "cli/suggest.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace memviz::cli {

namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::int64_t number_after(std::string_view option, std::string_view word, std::string_view prefix,
                          std::string_view meaning, std::int64_t least) {
  const auto number = number_in(word.substr(prefix.size()));
  if (number && *number >= least) return *number;
  throw UsageError(fmt::format("--{} {}<N> needs {}, not '{}'", option, prefix, meaning, word.substr(prefix.size())));
}

bool is_start(const Snapshot& snapshot, const Annotation& annotation) {
  const std::string_view stage = snapshot.frames.text(annotation.stage);
  return stage == "START" || stage.empty();
}

/// The time of the annotation's start number `occurrence`, counted from 1.
std::optional<std::int64_t> start_of(const Snapshot& snapshot, std::string_view name, std::int64_t occurrence) {
  for (const Annotation& annotation : snapshot.annotations) {
    if (!is_start(snapshot, annotation) || snapshot.frames.text(annotation.name) != name) continue;
    if (--occurrence == 0) return annotation.time_us;
  }
  return std::nullopt;
}

[[noreturn]] void fail_annotation(const MomentRequest& request, const std::string& file, const Snapshot& snapshot) {
  constexpr std::size_t kMostNames = 1000;
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kListed = 5;
  std::set<std::string_view> names;
  for (const Annotation& annotation : snapshot.annotations) {
    const std::string_view name = snapshot.frames.text(annotation.name);
    if (is_start(snapshot, annotation) && !name.empty() && name.size() <= kLongest && names.size() < kMostNames)
      names.insert(name);
  }
  std::string message = fmt::format("{}: {} has no such annotation", request.option, file);
  if (names.empty()) throw UsageError(snapshot.annotations.empty() ? message + ", and no other" : message);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string nearest = did_you_mean(request.choice.annotation, candidates);
  if (!nearest.empty()) throw UsageError(message + nearest);
  const std::size_t listed_count = std::min(candidates.size(), kListed);
  throw UsageError(fmt::format(
      "{}; it has '{}'{}", message,
      fmt::join(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(listed_count), "', '"),
      candidates.size() > listed_count ? fmt::format(" and {} more", candidates.size() - listed_count) : ""));
}

void check_event(const MomentRequest& request, const std::string& file, const std::vector<DeviceStats>& recorded) {
  if (recorded.empty()) throw UsageError(fmt::format("{}: {} has no events", request.option, file));
  if (!request.choice.device && recorded.size() > 1) {
    std::vector<std::uint32_t> devices;
    for (const DeviceStats& stats : recorded)
      devices.push_back(stats.device);
    throw UsageError(fmt::format("{}: each device counts its own events; add --device {}", request.option,
                                 fmt::join(devices, " or ")));
  }
  for (const DeviceStats& stats : recorded) {
    if (request.choice.device && stats.device != *request.choice.device) continue;
    if (request.choice.event < static_cast<std::int64_t>(stats.events)) return;
    throw UsageError(fmt::format("{}: {} has events 0 to {} of {}", request.option, file, stats.events - 1,
                                 device_name(stats.device, stats.is_cpu)));
  }
  throw UsageError(fmt::format("{}: {} has no events of device {}", request.option, file, *request.choice.device));
}

void check_time(const MomentRequest& request, const std::string& file, const std::vector<DeviceStats>& recorded) {
  const DeviceStats sum = sum_of(recorded);
  if (!sum.first_time_us) {
    throw UsageError(
        fmt::format("{}: the events of {} have no times (PyTorch before 2.2); try event:N", request.option, file));
  }
  if (request.choice.kind == MomentKind::annotation || request.choice.time_us >= *sum.first_time_us) return;
  throw UsageError(fmt::format("{}: the events of {} are from time:{} to time:{}", request.option, file,
                               *sum.first_time_us, sum.last_time_us.value_or(*sum.first_time_us)));
}

} // namespace

Option moment_option() {
  return {"at", '\0', "MOMENT",
          "end, peak, oom (the last out-of-memory error), event:N, time:MICROSECONDS, annotation:NAME or "
          "annotation:NAME#K (where it starts, for the K-th time), or auto: oom where there is one, else end (default: "
          "auto for pictures, else end)"};
}

MomentRequest parse_moment(std::string_view option, const std::string& word) {
  constexpr std::string_view kEvent = "event:";
  constexpr std::string_view kTime = "time:";
  constexpr std::string_view kAnnotation = "annotation:";
  MomentRequest request;
  request.option = fmt::format("--{} {}", option, word);
  MomentChoice& choice = request.choice;
  if (word == "end") return request;
  request.is_auto = word == "auto";
  if (request.is_auto || word == "oom") {
    choice.kind = MomentKind::oom;
  } else if (word == "peak") {
    choice.kind = MomentKind::peak;
  } else if (word.starts_with(kEvent)) {
    choice.kind = MomentKind::event;
    choice.event = number_after(option, word, kEvent, "the index of an event (-1 is before the first)", -1);
  } else if (word.starts_with(kTime)) {
    choice.kind = MomentKind::time;
    choice.time_us = number_after(option, word, kTime, "microseconds since 1970", 0);
  } else if (word.starts_with(kAnnotation) && word.size() > kAnnotation.size()) {
    choice.kind = MomentKind::annotation;
    choice.annotation = word.substr(kAnnotation.size());
  } else {
    constexpr std::array<std::string_view, 7> kWords{"auto",    "end",     "peak",           "oom",
                                                     "event:N", "time:US", "annotation:NAME"};
    throw UsageError(
        fmt::format("--{} must be {}, not '{}'{}", option, listed(kWords), word, did_you_mean(word, kWords)));
  }
  return request;
}

MomentRequest moment_of(const Arguments& arguments, const std::string& word) {
  MomentRequest request = parse_moment("at", arguments.value("at").value_or(word));
  if (request.choice.kind == MomentKind::event) request.choice.device = device_of(arguments);
  return request;
}

bool needs_annotation(const MomentRequest& request) {
  return request.choice.kind == MomentKind::annotation;
}

MomentChoice with_annotation(const MomentRequest& request, const std::string& file, const Snapshot& snapshot) {
  MomentChoice choice = request.choice;
  auto time_us = start_of(snapshot, choice.annotation, 1);
  // PyTorch's own profiler has names such as ProfilerStep#3, so the whole text comes first.
  const std::size_t mark = choice.annotation.rfind('#');
  if (!time_us && mark != std::string::npos) {
    const std::string_view text = choice.annotation;
    const auto occurrence = number_in(text.substr(mark + 1));
    if (occurrence && *occurrence > 0) time_us = start_of(snapshot, text.substr(0, mark), *occurrence);
  }
  if (!time_us) fail_annotation(request, file, snapshot);
  choice.time_us = *time_us;
  return choice;
}

void check_moment(const MomentRequest& request, const std::string& file, const Replay& accounts) {
  if (request.is_auto || request.choice.kind == MomentKind::end) return;
  std::vector<DeviceStats> recorded;
  for (const DeviceStats& stats : accounts.devices)
    if (stats.events > 0) recorded.push_back(stats);
  switch (request.choice.kind) {
  case MomentKind::event: return check_event(request, file, recorded);
  case MomentKind::time:
  case MomentKind::annotation: return check_time(request, file, recorded);
  case MomentKind::oom:
    if (sum_of(recorded).ooms > 0) return;
    throw UsageError(fmt::format("{}: {} records no out-of-memory error; try --at peak", request.option, file));
  case MomentKind::peak:
    if (!recorded.empty()) return;
    throw UsageError(fmt::format("{}: {} has no events, so its peak is not known", request.option, file));
  case MomentKind::failure:
  case MomentKind::end: return;
  }
}

} // namespace memviz::cli
