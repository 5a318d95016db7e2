#include "story/compare_words.hpp"

#include "base/saturating.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz {

namespace {

std::string growth_text(const GaugeGrowth& growth, bool names_device, bool is_first) {
  const std::string_view subject = growth.gauge == Gauge::peak  ? "the peak"
                                   : growth.gauge == Gauge::end ? "the end"
                                                                : "reserved memory";
  const std::string device = names_device ? " of " + device_name(growth) : "";
  const std::string share = growth.before_bytes == 0
                                ? "from nothing"
                                : format_change(growth.bytes(), growth.before_bytes, format_bytes(growth.before_bytes));
  return fmt::format("{}{} {}by {} ({})", subject, device, is_first ? "grew " : "", format_bytes(growth.bytes()),
                     share);
}

const UserLineChange* most_grown(const Comparison& comparison) {
  const auto found = std::ranges::find_if(comparison.changes,
                                          [](const UserLineChange& line) { return line.change.delta_bytes() > 0; });
  return found == comparison.changes.end() ? nullptr : &*found;
}

std::string culprit_text(const Comparison& comparison, Quote quote) {
  const UserLineChange* line = most_grown(comparison);
  const std::string moment = common_moment(comparison);
  if (line == nullptr) return moment.empty() ? "; no line grew" : fmt::format("; no line grew {}", moment);
  return fmt::format("; the most by {} ({}{}{})", quote(change_label(comparison, *line)),
                     format_delta(line->change.delta_bytes()), moment.empty() ? "" : " ", moment);
}

/// "keep_more job.py:27 grew by 635 KiB, step job.py:30 by 300 KiB and 2 more lines", after the figures that grew; ""
/// if no line grew by more.
std::string grown_lines_text(const Comparison& comparison, const GateVerdict& verdict, Quote quote) {
  constexpr std::size_t kMostLines = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(verdict.lines.size(), kMostLines); ++i) {
    const UserLineChange& line = comparison.changes[verdict.lines[i]];
    const bool is_first = verdict.exceeded.empty() && i == 0;
    text += fmt::format("{}{} {}by {}", is_first ? "" : ", ", quote(change_label(comparison, line)),
                        is_first ? "grew " : "", format_bytes(line.change.after.bytes - line.change.before.bytes));
  }
  if (verdict.lines.size() > kMostLines)
    text += fmt::format(" and {}", format_counted(verdict.lines.size() - kMostLines, "more line"));
  return text;
}

/// "GPU 0", "GPU 0 and 2 more", "no device"
std::string device_list(const std::vector<DeviceState>& devices) {
  if (devices.empty()) return "no device";
  const std::string first = device_name(devices.front());
  return devices.size() == 1 ? first : fmt::format("{} and {} more", first, format_count(devices.size() - 1));
}

std::vector<DeviceState> used_devices(const Comparison& comparison, DeviceState DeviceChange::*side) {
  std::vector<DeviceState> used;
  for (const DeviceChange& device : comparison.devices)
    if (is_used((device.*side).figures)) used.push_back(device.*side);
  return used;
}

bool lacks_events(const Comparison& comparison, DeviceState DeviceChange::*side) {
  return std::ranges::none_of(comparison.devices,
                              [&](const DeviceChange& device) { return (device.*side).figures.events > 0; });
}

} // namespace

std::string known_bytes(const std::optional<std::uint64_t>& bytes) {
  return bytes ? format_bytes(*bytes) : "unknown";
}

std::string as_it_is(const std::string& text) {
  return text;
}

std::string_view gauge_label(Gauge gauge) {
  switch (gauge) {
  case Gauge::peak: return "requested at the peak";
  case Gauge::end: return "requested at the end";
  case Gauge::reserved: break;
  }
  return "reserved at the end";
}

std::optional<std::string> exceeded_text(const CompareReport& report, Quote quote) {
  if (!report.verdict || report.verdict->is_passed()) return std::nullopt;
  const GateVerdict& verdict = *report.verdict;
  std::string text;
  for (const GaugeGrowth& growth : verdict.exceeded)
    text += (text.empty() ? "" : ", ") +
            growth_text(growth, report.comparison.readings.size() > 1, &growth == &verdict.exceeded.front());
  text += grown_lines_text(report.comparison, verdict, quote);
  return fmt::format("{}, more than --fail-over {} allows{}", text, verdict.limits.given,
                     verdict.lines.empty() ? culprit_text(report.comparison, quote) : "");
}

std::string unknown_text(const CompareReport& report, Quote quote) {
  const auto& readings = report.comparison.readings;
  if (readings.empty() || readings.front().of(Gauge::peak).is_known()) return "";
  const bool is_before = lacks_events(report.comparison, &DeviceChange::before);
  const bool is_after = lacks_events(report.comparison, &DeviceChange::after);
  if (is_before && is_after) return "the peak is unknown: neither file has events";
  return fmt::format("the peak is unknown: {} has no events",
                     quote(is_before ? report.before.file : report.after.file));
}

std::string passed_text(const CompareReport& report) {
  std::vector<std::string_view> names;
  for (const Gauge gauge : report.verdict->judged)
    names.push_back(gauge_name(gauge));
  if (report.verdict->limits.line) names.emplace_back("lines");
  return fmt::format("{} within --fail-over {}", fmt::join(names, ", "), report.verdict->limits.given);
}

std::string uneven_text(const CompareReport& report) {
  for (const auto& [before, after, kinds] : report.comparison.devices) {
    const bool are_there =
        before.figures.segments + before.figures.events > 0 && after.figures.segments + after.figures.events > 0;
    if (!are_there || before.moment.kind == after.moment.kind) continue;
    return fmt::format("{} is {} in {}, but {} in {}: --at end compares both at the end", device_name(before),
                       moment_text(before), report.before.file, moment_text(after), report.after.file);
  }
  return "";
}

std::string other_devices_text(const CompareReport& report) {
  if (const auto& paired = report.comparison.paired) {
    const DeviceChange& both = report.comparison.devices.front();
    const std::string name = device_name(both.before);
    return fmt::format("{} uses {} alone and {} uses {}: these two are compared, as {}", report.before.file, name,
                       report.after.file, device_name(paired->after, both.after.device_kind), name);
  }
  const auto before = used_devices(report.comparison, &DeviceChange::before);
  const auto after = used_devices(report.comparison, &DeviceChange::after);
  if (std::ranges::equal(before, after, {}, &DeviceState::device, &DeviceState::device)) return "";
  return fmt::format("{} uses {}, but {} uses {}: devices are compared by their numbers", report.before.file,
                     device_list(before), report.after.file, device_list(after));
}

std::string classified_once_text(const Comparison& comparison) {
  std::uint64_t grown_bytes = 0;
  std::uint64_t shrunk_bytes = 0;
  for (const UserLineChange& line : comparison.changes) {
    std::uint64_t& sum = line.change.delta_bytes() > 0 ? grown_bytes : shrunk_bytes;
    sum = saturating_sum(sum, magnitude(line.change.delta_bytes()));
  }
  KindChange unknown;
  KindChange known;
  for (const KindChange& change : comparison.kinds) {
    KindChange& sum = change.kind == MemoryKind::unknown ? unknown : known;
    sum.before_bytes = saturating_sum(sum.before_bytes, change.before_bytes);
    sum.after_bytes = saturating_sum(sum.after_bytes, change.after_bytes);
  }
  const bool is_after = unknown.delta_bytes() < 0 && known.delta_bytes() > 0;
  const bool is_before = unknown.delta_bytes() > 0 && known.delta_bytes() < 0;
  const std::uint64_t bytes = std::min(magnitude(unknown.delta_bytes()), magnitude(known.delta_bytes()));
  if (!comparison.is_one_moment || (!is_after && !is_before) || bytes <= std::max(grown_bytes, shrunk_bytes)) return "";
  return fmt::format("{} is classified only {}, though the same lines hold as much {}", format_bytes(bytes),
                     is_after ? "after" : "before", is_after ? "before" : "after");
}

std::string change_label(const Comparison& comparison, const UserLineChange& line) {
  return device_prefix(comparison, line) + node_label(comparison.frames, line.key);
}

ChangeTable change_table(const Comparison& comparison, std::size_t most, std::optional<bool> has_grown) {
  ChangeTable table;
  std::vector<NodeKey> keys;
  for (const UserLineChange& line : comparison.changes) {
    const std::int64_t delta = line.change.delta_bytes();
    if (has_grown && (delta == 0 || (delta > 0) != *has_grown)) continue;
    if (keys.size() == most) {
      ++table.left_out;
      table.left_out_bytes += delta;
      continue;
    }
    keys.push_back(line.key);
    table.rows.push_back({line.key, line.change, device_prefix(comparison, line), "", false});
    for (const UserLineChange& inner : line.within)
      table.rows.push_back(
          {inner.key, inner.change, device_prefix(comparison, inner), node_label(comparison.frames, inner.key), true});
  }
  const std::vector<std::string> labels = node_labels(comparison.frames, keys);
  auto label = labels.begin();
  for (ChangeRow& row : table.rows)
    if (!row.is_within) row.label = *label++;
  return table;
}

std::string more_devices_text(std::size_t devices) {
  return fmt::format("and {}, which changed no more.", format_counted(devices, "more device"));
}

std::string resized_text(const Comparison& comparison) {
  const std::vector<SegmentRef>& after = comparison.only_after;
  const auto is_in_both = [&](const SegmentRef& before) {
    return std::ranges::binary_search(after, before.address, {}, &SegmentRef::address);
  };
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(comparison.only_before, is_in_both));
  if (count == 0) return "";
  if (count == 1) return "1 address is in both lists: its segment has another size.";
  return fmt::format("{} are in both lists: their segments have other sizes.",
                     format_counted(count, "address", "addresses"));
}

} // namespace memviz
