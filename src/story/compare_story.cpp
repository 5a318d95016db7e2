#include "base/saturating.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/story.hpp"
#include "story/kind_totals.hpp"
#include "story/moment_words.hpp"
#include "story/short_label.hpp"
#include "story/when.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz {
namespace {

std::int64_t delta_of(std::uint64_t before, std::uint64_t after) {
  return static_cast<std::int64_t>(after - before);
}

bool is_same(const Comparison& comparison) {
  const auto is_steady = [](const DeviceReadings& device) {
    return std::ranges::all_of(device.readings,
                               [](const Reading& reading) { return reading.before_bytes == reading.after_bytes; });
  };
  return std::ranges::all_of(comparison.readings, is_steady) && comparison.only_before.empty() &&
         comparison.only_after.empty() && comparison.changes.empty() &&
         std::ranges::all_of(comparison.tree.nodes,
                             [](const TreeNode<Change>& node) { return node.total.before == node.total.after; });
}

/// The same amount is requested as before, but something else has changed.
std::string unchanged_sentence(const Comparison& comparison) {
  const std::string same = format_bytes(comparison.after.requested_bytes) + " requested, as before";
  const std::int64_t reserved = delta_of(comparison.before.reserved_bytes, comparison.after.reserved_bytes);
  if (reserved != 0) return fmt::format("{}; {} reserved", same, delta_text(reserved));
  return comparison.changes.empty() ? same : same + ", but by other stacks";
}

/// Returns the figure that changed most, with its device, if several devices are each at their own moment.
std::string worst_device_sentence(const Comparison& comparison) {
  const DeviceReadings* worst = nullptr;
  Gauge gauge = Gauge::peak;
  for (const DeviceReadings& device : comparison.readings) {
    for (const Gauge candidate : kGauges) {
      const std::uint64_t change = magnitude(device.of(candidate).change_bytes());
      if (worst != nullptr && change <= magnitude(worst->of(gauge).change_bytes())) continue;
      worst = &device;
      gauge = candidate;
    }
  }
  if (worst == nullptr || worst->of(gauge).change_bytes() == 0)
    return "Every device holds as much as before, but not the same memory";
  const Reading& reading = worst->of(gauge);
  return fmt::format("{} {} on {}: {} before, {} after", delta_text(reading.change_bytes()),
                     gauge == Gauge::peak  ? "at the peak"
                     : gauge == Gauge::end ? "at the end"
                                           : "reserved at the end",
                     device_name(*worst), format_bytes(*reading.before_bytes), format_bytes(*reading.after_bytes));
}

/// The percentage of the largest change below which an opposite change is not mentioned.
constexpr std::uint64_t kAgainstShare = 5;

std::string line_name(const Comparison& comparison, const UserLineChange& line) {
  const Label label = key_label(comparison.frames, line.key);
  return device_prefix(comparison, line) + (label.place.empty() ? label.name : label.name + " " + label.place);
}

std::string change_text(const Comparison& comparison, const UserLineChange& line) {
  return fmt::format("{} {}", line_name(comparison, line), delta_text(line.change.delta_bytes()));
}

/// "forward model.py:41 grew by 1.89 GiB; others shrank by 1.70 GiB": for a line that changed by more than the whole.
std::string opposite_text(const Comparison& comparison, const UserLineChange& line) {
  const std::int64_t change = line.change.delta_bytes();
  return fmt::format("{} {} by {}; others {} by {}", line_name(comparison, line), change > 0 ? "grew" : "shrank",
                     format_bytes(magnitude(change)), change > 0 ? "shrank" : "grew",
                     format_bytes(magnitude(change - comparison.requested_delta_bytes())));
}

std::uint64_t larger_side(const Comparison& comparison) {
  return std::max(comparison.before.requested_bytes, comparison.after.requested_bytes);
}

/// The share of the larger side below which a note is not worthwhile: 1/10.
constexpr std::uint64_t kMovedShare = 10;

std::string headline(const Comparison& comparison) {
  if (is_same(comparison)) return "No difference: both snapshots hold the same memory";
  if (!comparison.is_one_moment) return worst_device_sentence(comparison);
  const std::int64_t delta = comparison.requested_delta_bytes();
  const std::string moment = common_moment(comparison);
  const std::string sides = fmt::format("{} before, {} after", format_bytes(comparison.before.requested_bytes),
                                        format_bytes(comparison.after.requested_bytes));
  if (delta == 0) return unchanged_sentence(comparison);
  return fmt::format("{} requested{}{}: {}", delta_text(delta), moment.empty() ? "" : " ", moment, sides);
}

/// "By kind: activations +4.10 GiB, gradients +102 MiB": the kind comes before the holder. "" if all is unknown,
/// or if only unknown memory changed.
std::string kinds_sentence(const Comparison& comparison) {
  const auto is_told = [](const KindChange& change) {
    return change.kind != MemoryKind::unknown && change.delta_bytes() != 0;
  };
  if (!comparison.is_one_moment || std::ranges::none_of(comparison.kinds, is_told)) return "";
  constexpr std::size_t kMostKinds = 3;
  const std::string once = classified_once_text(comparison);
  return (once.empty() ? "By kind" : once) + ": " + kind_changes_text(comparison.kinds, kMostKinds);
}

std::string lines_sentence(const Comparison& comparison) {
  const UserLineChange* grown = nullptr;
  const UserLineChange* shrunk = nullptr;
  for (const UserLineChange& line : comparison.changes) {
    const UserLineChange*& side = line.change.delta_bytes() > 0 ? grown : shrunk;
    if (side == nullptr && line.change.delta_bytes() != 0) side = &line;
  }
  if (grown == nullptr && shrunk == nullptr) return "";
  const auto text = [&](const UserLineChange* line) { return change_text(comparison, *line); };
  if (grown == nullptr || shrunk == nullptr) return "Mostly " + text(grown == nullptr ? shrunk : grown);
  const std::int64_t delta = comparison.requested_delta_bytes();
  const UserLineChange* most = delta < 0 ? shrunk : grown;
  const UserLineChange* against = delta < 0 ? grown : shrunk;
  const auto bytes = [](const UserLineChange* line) { return magnitude(line->change.delta_bytes()); };
  if (delta == 0) return fmt::format("{}, but {}", text(most), text(against));
  if (bytes(against) < bytes(most) / 100 * kAgainstShare) return "Mostly " + text(most);
  if (comparison.is_one_moment && bytes(most) > magnitude(delta)) return opposite_text(comparison, *most);
  return fmt::format("Mostly {}, partly offset by {}", text(most), text(against));
}

std::string answer(const Comparison& comparison) {
  const std::string kinds = kinds_sentence(comparison);
  const std::string lines = lines_sentence(comparison);
  return kinds.empty() || lines.empty() ? kinds + lines : kinds + ". " + lines;
}

std::string drawn_moment(const Comparison& comparison) {
  if (comparison.devices.empty()) return "";
  if (comparison.mixes_host)
    return "The picture shows GPUs and pinned host memory side by side; their sum means nothing.";
  if (!comparison.is_one_moment) return "The picture shows each device at its own moment, so their sum means nothing.";
  const std::string moment = common_moment(comparison);
  const std::string end = end_text(comparison);
  return fmt::format("The picture shows what {}{}{}.",
                     moment.empty() ? "each side held at its moment" : "both held " + moment, end.empty() ? "" : "; ",
                     end);
}

std::vector<std::string> notes(const Comparison& comparison) {
  std::vector<std::string> notes{"The width of a box is the larger of its two sides, so that removed memory keeps its "
                                 "place; its number is the change, after minus before. Pale: below 5 % of the width."};
  const std::uint64_t bytes = comparison.moved_lines_bytes;
  if (comparison.is_match_chosen) {
    std::string sentence = match_text(comparison);
    sentence.front() = 'M';
    notes.push_back(sentence + ".");
  } else if (bytes > larger_side(comparison) / kMovedShare) {
    notes.push_back(fmt::format("{} is on both sides at other lines of the same functions, and so looks removed and "
                                "added: --match function compares by function.",
                                format_bytes(bytes)));
  }
  if (comparison.moved_files > 0) {
    notes.push_back(fmt::format(
        "{} in different folders before and after, as in two checkouts: matched by the ends of their paths.",
        comparison.moved_files == 1 ? "1 file is" : format_count(comparison.moved_files) + " files are"));
  }
  if (const std::string script = script_text(comparison); !script.empty()) notes.push_back(script + ".");
  return notes;
}

} // namespace

std::vector<std::string> side_facts(const MemoryState& state, std::optional<DeviceId> device) {
  constexpr std::size_t kMostNames = 4;
  const Origin& origin = state.recording->origin;
  std::vector<std::string> names;
  for (const DeviceId present : state.recording->devices())
    if (!device || *device == present) names.push_back(device_name(present, origin.kind_of(present)));
  std::vector<std::string> facts;
  if (names.size() > kMostNames)
    facts.push_back(fmt::format("{} devices", names.size()));
  else if (!names.empty())
    facts.push_back(fmt::format("{}", fmt::join(names, ", ")));
  facts.push_back(moments_text(state.devices_of(device)));
  if (!origin.generation.empty()) facts.push_back(origin.generation);
  if (origin.rehearsal) facts.push_back(rehearsal_alert(origin.rehearsal));
  return facts;
}

std::vector<std::string> count_facts(const DeviceFigures& figures) {
  std::vector<std::string> facts{format_counted(figures.segments, "segment"), format_counted(figures.blocks, "block"),
                                 figures.events == 0 ? "no events" : format_counted(figures.events, "event")};
  if (figures.first_time_us && figures.last_time_us && *figures.first_time_us != *figures.last_time_us)
    facts.push_back(time_range_text(*figures.first_time_us, *figures.last_time_us));
  return facts;
}

Story compare_story(const Comparison& comparison) {
  Story story;
  story.headline = headline(comparison);
  story.answer = answer(comparison);
  story.caption = drawn_moment(comparison);
  story.notes = notes(comparison);
  return story;
}

} // namespace memviz
