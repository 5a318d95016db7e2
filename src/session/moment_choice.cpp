#include "memviz/moment_choice.hpp"

#include "base/suggest.hpp"
#include "base/whole_number.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <vector>

namespace memviz {

namespace {

std::int64_t number_after(std::string_view option, std::string_view word, std::string_view prefix,
                          std::string_view meaning, std::int64_t least) {
  const auto number = whole_number<std::int64_t>(word.substr(prefix.size()));
  if (number && *number >= least) return *number;
  throw UsageError(fmt::format("--{} {}<N> needs {}, not '{}'", option, prefix, meaning, word.substr(prefix.size())));
}

bool is_start(const Recording& recording, const Annotation& annotation) {
  const std::string_view stage = recording.frames.text(annotation.stage);
  return stage == "START" || stage.empty();
}

/// One of the times at which an annotation starts, counted from 1.
struct Occurrence {
  std::string annotation;
  std::int64_t number = 1;
};

/// The time at which it starts.
std::optional<std::int64_t> start_of(const Recording& recording, const Occurrence& wanted) {
  std::int64_t number = 0;
  for (const Annotation& annotation : recording.annotations) {
    if (!is_start(recording, annotation) || recording.frames.text(annotation.name) != wanted.annotation) continue;
    if (++number == wanted.number) return annotation.time_us;
  }
  return std::nullopt;
}

/// "NAME#K"
std::optional<Occurrence> occurrence_in(std::string_view text) {
  const std::size_t mark = text.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  const auto number = whole_number<std::int64_t>(text.substr(mark + 1));
  if (!number || *number <= 0) return std::nullopt;
  return Occurrence{std::string(text.substr(0, mark)), *number};
}

/// `wanted`: the name in the recording of the requested annotation.
[[noreturn]] void fail_annotation(const std::string& option, const std::string& wanted, const std::string& file,
                                  const Recording& recording) {
  constexpr std::size_t kMostNames = 1000;
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kListed = 5;
  std::set<std::string_view> names;
  for (const Annotation& annotation : recording.annotations) {
    const std::string_view name = recording.frames.text(annotation.name);
    if (is_start(recording, annotation) && !name.empty() && name.size() <= kLongest && names.size() < kMostNames)
      names.insert(name);
  }
  std::string message = fmt::format("{}: {} has no such annotation", option, file);
  if (names.empty()) throw UsageError(recording.annotations.empty() ? message + ", and no other" : message);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string nearest = did_you_mean(wanted, candidates);
  if (!nearest.empty()) throw UsageError(message + nearest);
  const std::size_t listed_count = std::min(candidates.size(), kListed);
  throw UsageError(fmt::format(
      "{}; it has '{}'{}", message,
      fmt::join(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(listed_count), "', '"),
      candidates.size() > listed_count ? fmt::format(" and {} more", candidates.size() - listed_count) : ""));
}

void check_event(const MomentChoice& choice, const std::string& file, std::span<const DeviceState> devices) {
  std::vector<std::string> recorded;
  for (const DeviceState& device : devices)
    if (device.figures.events > 0) recorded.push_back(device_word(device.device));
  if (!choice.device && recorded.size() > 1)
    throw UsageError(fmt::format("{}: each device counts its own events; add --device {}", choice.option,
                                 fmt::join(recorded, " or ")));
  for (const DeviceState& device : devices) {
    const std::uint64_t events = device.figures.events;
    if (events == 0 || (choice.device && device.device != *choice.device)) continue;
    if (choice.event.count() <= events) return;
    throw UsageError(
        fmt::format("{}: {} has events 0 to {} of {}", choice.option, file, events - 1, device_name(device)));
  }
  throw UsageError(fmt::format("{}: {} has no events of device {}", choice.option, file, device_word(*choice.device)));
}

void check_time(const MomentChoice& choice, const std::string& file, const DeviceFigures& sum) {
  if (!sum.first_time_us) {
    throw UsageError(
        fmt::format("{}: the events of {} have no times (PyTorch before 2.2); try event:N", choice.option, file));
  }
  if (choice.kind == MomentKind::annotation || choice.time_us >= *sum.first_time_us) return;
  throw UsageError(fmt::format("{}: the events of {} are from time:{} to time:{}", choice.option, file,
                               *sum.first_time_us, sum.last_time_us.value_or(*sum.first_time_us)));
}

} // namespace

MomentChoice parse_moment(std::string_view option, const std::string& word) {
  constexpr std::string_view kEvent = "event:";
  constexpr std::string_view kTime = "time:";
  constexpr std::string_view kAnnotation = "annotation:";
  MomentChoice choice;
  choice.option = fmt::format("--{} {}", option, word);
  if (word == "end") return choice;
  if (word == "auto") {
    choice.kind = MomentKind::automatic;
  } else if (word == "oom") {
    choice.kind = MomentKind::oom;
  } else if (word == "peak") {
    choice.kind = MomentKind::peak;
  } else if (word.starts_with(kEvent)) {
    choice.kind = MomentKind::event;
    const std::int64_t event = number_after(option, word, kEvent, "the index of an event (-1 is before the first)", -1);
    choice.event = event < 0 ? kNoEvent : EventIndex(static_cast<std::uint64_t>(event));
  } else if (word.starts_with(kTime)) {
    choice.kind = MomentKind::time;
    choice.time_us = number_after(option, word, kTime, "microseconds since 1970", 0);
  } else if (word.starts_with(kAnnotation) && word.size() > kAnnotation.size()) {
    choice.kind = MomentKind::annotation;
    choice.annotation = word.substr(kAnnotation.size());
  } else {
    constexpr std::array<std::string_view, 7> kWords{"auto",    "end",     "peak",           "oom",
                                                     "event:N", "time:US", "annotation:NAME"};
    const std::string hint = whole_number<std::uint64_t>(word) ? fmt::format("; did you mean 'event:{}'?", word)
                                                               : did_you_mean(word, kWords);
    throw UsageError(fmt::format("--{} must be {}, not '{}'{}", option, listed(kWords), word, hint));
  }
  return choice;
}

MomentChoice moment_in(const MomentChoice& wanted, const std::string& file, const Recording& recording,
                       TextRewriter* rewriter) {
  MomentChoice choice = wanted;
  if (choice.kind != MomentKind::annotation) return choice;
  const auto shown = [&](const std::string& name) {
    return rewriter == nullptr ? name : rewriter->text(TextKind::annotation, name);
  };
  // PyTorch's own profiler has names such as ProfilerStep#3, so the whole text is tried first.
  choice.annotation = shown(wanted.annotation);
  auto time_us = start_of(recording, {choice.annotation, 1});
  const std::optional<Occurrence> one_of_several = occurrence_in(wanted.annotation);
  if (!time_us && one_of_several) {
    const Occurrence occurrence{shown(one_of_several->annotation), one_of_several->number};
    time_us = start_of(recording, occurrence);
    if (time_us) choice.annotation = fmt::format("{}#{}", occurrence.annotation, occurrence.number);
  }
  if (!time_us) fail_annotation(wanted.option, choice.annotation, file, recording);
  choice.time_us = *time_us;
  return choice;
}

void check_moment(const MomentChoice& choice, const std::string& file, std::span<const DeviceState> devices) {
  const DeviceFigures sum = sum_of(devices);
  switch (choice.kind) {
  case MomentKind::event:
  case MomentKind::time:
  case MomentKind::annotation:
    if (sum.events == 0) throw UsageError(fmt::format("{}: {} has no events", choice.option, file));
    return choice.kind == MomentKind::event ? check_event(choice, file, devices) : check_time(choice, file, sum);
  case MomentKind::oom:
    if (sum.ooms > 0) return;
    throw UsageError(fmt::format("{}: {} records no out-of-memory error; try {} peak", choice.option, file,
                                 choice.option.substr(0, choice.option.find(' '))));
  case MomentKind::peak:
    if (sum.events > 0 || choice.option.empty()) return; // if it was not requested explicitly, the end is used
    throw UsageError(fmt::format("{}: {} has no events, so its peak is unknown", choice.option, file));
  case MomentKind::automatic:
  case MomentKind::end: return;
  }
}

} // namespace memviz
