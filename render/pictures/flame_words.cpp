#include "pictures/flame_words.hpp"

#include "page/accounts.hpp"
#include "page/naming.hpp"
#include "page/when.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/no_stack.hpp"
#include "memviz/places.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

/// A peak this many times above what is drawn deserves a hint.
constexpr double kFarAbove = 1.25;
/// Pools and streams of a device beyond these become one bar.
constexpr std::size_t kMostPlaces = 4;
/// A largest user of less than this share is one of many: 1/50.
constexpr std::uint64_t kStandsOut = 50;
/// Columns of a name in the answer.
constexpr std::size_t kNameColumns = 40;

std::string in_use_text(std::uint64_t bytes, const DeviceStats& sum) {
  return fmt::format("{} ({} of what is in use)", format_bytes(bytes), format_percent(bytes, sum.requested_bytes));
}

std::string line_text(const FrameTable& frames, const NodeKey& key) {
  const Label label = line_label(frames, key);
  std::string text = cut_name(label.name, kNameColumns);
  if (!label.place.empty()) text += ' ' + cut_start(label.place, kNameColumns);
  return label.note.empty() ? text : fmt::format("{} ({})", text, label.note);
}

/// What another moment held: at the peak that is the end.
Figure other_moment_figure(const DeviceStats& sum, bool is_sum) {
  if (sum.events > 0 && sum.at.kind == MomentKind::peak && !is_sum)
    return {.name = "Live at the end",
            .value = format_bytes(sum.end_requested_bytes),
            .note = fmt::format("of {} reserved", format_bytes(sum.end_reserved_bytes))};
  Figure figure{.name = is_sum ? "Sum of peaks" : "Peak requested", .value = format_bytes(sum.peak_requested_bytes)};
  if (sum.events == 0) {
    figure.value = "unknown";
    figure.value_class = "muted";
    figure.note = "no events recorded";
    return figure;
  }
  const auto peak = static_cast<double>(sum.peak_requested_bytes);
  const auto drawn = static_cast<double>(sum.requested_bytes);
  if (sum.requested_bytes > 0 && peak > kFarAbove * drawn) {
    const double ratio = peak / drawn;
    figure.note = ratio > 1000 ? "over 1,000× what is drawn"
                               : fmt::format("{:.{}f}× what is drawn here", ratio, ratio < 9.95 ? 1 : 0);
    figure.note_class = "warning";
  } else if (sum.peak_requested_bytes > 0 && sum.requested_bytes == 0) {
    figure.note = "all of it freed since";
    figure.note_class = "warning";
  }
  return figure;
}

/// The pool is named where there is more than the default one.
std::string place_name(const FrameTable& frames, const Place& place, bool has_pools) {
  if (!has_pools) return fmt::format("stream {}", place.stream);
  return fmt::format("{}, stream {}", node_label(frames, {NodeKind::pool, place.pool.first, place.pool.second}),
                     place.stream);
}

void add_to(DeviceStats& sum, const DeviceStats& stats) {
  sum = sum_of({sum, stats});
}

/// The places of one device, largest first; empty where it has one only.
std::vector<Bar> place_bars(const FrameTable& frames, std::vector<Place> places) {
  std::vector<Bar> bars;
  if (places.size() < 2) return bars;
  std::stable_sort(places.begin(), places.end(), [](const Place& left, const Place& right) {
    return left.stats.reserved_bytes > right.stats.reserved_bytes;
  });
  const std::size_t shown = places.size() > kMostPlaces + 1 ? kMostPlaces : places.size();
  const bool has_pools =
      std::any_of(places.begin(), places.end(), [](const Place& place) { return place.pool.is_private(); });
  DeviceStats rest;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i >= shown)
      add_to(rest, places[i].stats);
    else
      bars.push_back(
          {place_name(frames, places[i], has_pools), bar_parts(places[i].stats), use_text(places[i].stats), true});
  }
  if (shown < places.size())
    bars.push_back({fmt::format("{} more pools and streams", format_count(places.size() - shown)), bar_parts(rest),
                    use_text(rest), true});
  return bars;
}

Bar device_bar(const DeviceStats& stats, bool has_many) {
  Bar bar{device_name(stats.device, stats.is_cpu), bar_parts(stats), use_text(stats)};
  if (!has_many || stats.events == 0) return bar;
  bar.note +=
      stats.at.is_end() ? ", peak " + format_bytes(stats.peak_requested_bytes) : ", " + short_moment_text(stats.at);
  return bar;
}

/// Whom a sentence is about: the leading device, else all.
std::string owner_text(const FlamePicture& picture, const DeviceStats& sum) {
  return leading_device(picture.devices) ? device_name(sum.device, sum.is_cpu) : devices_text(picture.devices);
}

/// The first device that is drawn at its out-of-memory error; null if none is.
const DeviceStats* failed_device(const FlamePicture& picture) {
  const auto failed = std::find_if(picture.devices.begin(), picture.devices.end(), [](const DeviceStats& stats) {
    return stats.at.kind == MomentKind::oom && stats.at.asked_bytes > 0;
  });
  return failed == picture.devices.end() ? nullptr : &*failed;
}

std::string in_use_percent(const DeviceStats& stats) {
  return format_percent(stats.allocated_bytes + stats.pending_free_bytes, stats.reserved_bytes);
}

std::string largest_user_text(const FlamePicture& picture, const DeviceStats& sum) {
  const FrameTable& frames = picture.state.frames();
  const UserLine& first = picture.users.front();
  const NoStackAccount no_stack = no_stack_account(picture.users);
  const auto known = std::find_if(picture.users.begin(), picture.users.end(),
                                  [](const UserLine& line) { return line.key.kind == NodeKind::frame; });
  if (first.key.kind == NodeKind::frame && first.amount.bytes >= no_stack.total.bytes) {
    const bool stands_out = first.amount.bytes >= sum.requested_bytes / kStandsOut;
    return fmt::format(
        "{}, {}, holds {}.",
        stands_out ? "The largest user"
                   : fmt::format("No line of code stands out: the largest of {}", format_count(picture.users.size())),
        line_text(frames, first.key), in_use_text(first.amount.bytes, sum));
  }
  std::string text =
      no_stack.total.bytes > 0
          ? fmt::format("{} has {}.", in_use_text(no_stack.total.bytes, sum), no_stack_text(no_stack))
          : fmt::format("{} has no stack: {}.", in_use_text(first.amount.bytes, sum), reason_text(first.key));
  if (known != picture.users.end())
    text += fmt::format(" The largest user with one, {}, holds {}.", line_text(frames, known->key),
                        format_bytes(known->amount.bytes));
  return text;
}

/// With its device, where others are at other moments.
std::string moment_fact(const FlamePicture& picture, const DeviceStats& sum) {
  if (!leading_device(picture.devices)) return picture.moment;
  return fmt::format("{} {}", device_name(sum.device, sum.is_cpu), moment_text(sum.at, sum.events));
}

/// What the moments that are not drawn held.
std::string other_moments_of(const FlamePicture& picture, const DeviceStats& sum) {
  if (leading_device(picture.devices)) return other_moments_text("flame", sum, device_name(sum.device, sum.is_cpu));
  return picture.devices.size() == 1 ? other_moments_text("flame", sum) : "";
}

} // namespace

std::string headline_of(const FlamePicture& picture, const DeviceStats& sum) {
  if (const DeviceStats* const failed = failed_device(picture))
    return fmt::format("{} ran out of memory: {} asked for, {} reserved", device_name(failed->device, failed->is_cpu),
                       format_bytes(failed->at.asked_bytes), format_bytes(failed->reserved_bytes));
  if (sum.reserved_bytes == 0) return "No memory is reserved in this snapshot";
  const std::string owner = owner_text(picture, sum);
  const std::string reserved = format_bytes(sum.reserved_bytes) + " reserved";
  return sum.events == 0
             ? fmt::format("{} on {}, {} in use", reserved, owner, in_use_percent(sum))
             : fmt::format("{} {}: {}, {} in use", owner, short_moment_text(sum.at), reserved, in_use_percent(sum));
}

std::string answer_of(const FlamePicture& picture, const DeviceStats& sum) {
  std::string answer;
  if (const DeviceStats* const failed = failed_device(picture); failed != nullptr && failed->reserved_bytes > 0) {
    answer = fmt::format("{} of what it had reserved was in use.", in_use_percent(*failed));
  }
  if (picture.users.empty() || sum.requested_bytes == 0) return answer;
  return answer + (answer.empty() ? "" : " ") + largest_user_text(picture, sum);
}

std::vector<std::string> facts_of(const FlamePicture& picture, const DeviceStats& sum) {
  std::vector<std::string> facts{moment_fact(picture, sum)};
  if (!picture.state.recording->origin.generation.empty()) facts.push_back(picture.state.recording->origin.generation);
  facts.push_back(count_of(sum.segments, "segment"));
  facts.push_back(count_of(sum.blocks, "block"));
  facts.push_back(sum.events == 0 ? "no events" : count_of(sum.events, "event"));
  if (sum.first_time_us && sum.last_time_us && *sum.first_time_us != *sum.last_time_us)
    facts.push_back(time_range_text(*sum.first_time_us, *sum.last_time_us));
  if (const std::string others = other_moments_of(picture, sum); !others.empty()) facts.push_back(others);
  return facts;
}

std::string alert_of(const FlamePicture& picture, const DeviceStats& sum) {
  std::string rehearsed = rehearsal_alert(picture.state.recording->origin.rehearsal);
  if (sum.ooms == 0 || (sum.ooms == 1 && failed_device(picture) != nullptr)) return rehearsed;
  return fmt::format("{}{}ran out of memory {}", rehearsed, rehearsed.empty() ? "" : "; ",
                     sum.ooms == 1 ? "once" : format_count(sum.ooms) + " times");
}

std::vector<Figure> figures_of(const DeviceStats& sum, std::size_t devices) {
  const std::uint64_t reserved = sum.reserved_bytes;
  const auto part = [](const char* name, std::uint64_t bytes, std::string note, const Paint* swatch) {
    return Figure{.name = name,
                  .value = format_bytes(bytes),
                  .value_class = bytes == 0 ? "muted" : "",
                  .note = std::move(note),
                  .swatch = bytes == 0 ? nullptr : swatch};
  };
  std::vector<Figure> figures;
  figures.push_back({.name = "Reserved", .value = format_bytes(reserved)});
  figures.push_back(part("Allocated", sum.allocated_bytes,
                         fmt::format("{} requested{}", format_bytes(sum.requested_bytes),
                                     sum.pending_free_bytes > 0 ? " with pending" : ""),
                         &paint::kRequested));
  figures.push_back(part("Rounding", sum.rounding_bytes(), "", &paint::kRounding));
  figures.push_back(part("Pending free", sum.pending_free_bytes, "", &paint::kPending));
  figures.push_back(part("Inactive (free)", sum.inactive_bytes,
                         format_percent(sum.inactive_bytes, reserved) + " of reserved", &paint::kInactive));
  if (sum.unaccounted_bytes > 0) {
    figures.push_back(part("Unaccounted", sum.unaccounted_bytes, "covered by no block", &paint::kUnaccounted));
    figures.back().note_class = "warning";
  }
  if (sum.outside_bytes > 0) {
    figures.push_back(part("Outside", sum.outside_bytes, "in no segment", &paint::kUnaccounted));
    figures.back().note_class = "warning";
  }
  figures.push_back(other_moment_figure(sum, devices > 1));
  return figures;
}

std::vector<Bar> bars_of(const FlamePicture& picture) {
  const bool has_many = picture.devices.size() > 1;
  std::vector<Bar> bars;
  for (const DeviceStats& stats : picture.devices) {
    std::vector<Bar> details = place_bars(picture.state.frames(), places_of(picture.state, stats.device));
    bars.push_back(device_bar(stats, has_many));
    if (!has_many && details.empty()) bars.back().name = bars.back().note = ""; // the headline says both
    bars.insert(bars.end(), details.begin(), details.end());
  }
  return bars;
}

} // namespace memviz::render
