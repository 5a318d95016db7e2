#include "story/picture_words.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace memviz {
namespace {

/// Returns segments of only one side for whose address the other has another size: expandable ones that grew or shrank.
std::size_t resized_segments(const Comparison& comparison) {
  const auto home = [](const SegmentRef& segment) { return std::tuple(segment.device, segment.address); };
  std::set<std::tuple<DeviceId, std::uint64_t>> before;
  for (const SegmentRef& segment : comparison.only_before)
    before.insert(home(segment));
  return static_cast<std::size_t>(std::ranges::count_if(
      comparison.only_after, [&](const SegmentRef& segment) { return before.contains(home(segment)); }));
}

/// Two processes share nothing that a list of addresses could show.
std::string two_processes_text(const Comparison& comparison) {
  const std::size_t shared = comparison.in_both.size();
  const std::uint64_t shared_bytes = bytes_of(comparison.in_both);
  const std::string reason =
      shared == 0
          ? "No segment is in both files"
          : fmt::format("{} the same address and size in both files by chance, but different times, stacks or blocks",
                        format_counted(shared, "segment has", "segments have"));
  std::string sentence =
      fmt::format("{}, so they are from two processes, whose addresses cannot match: {} before ({}), {} after ({}).",
                  reason, format_counted(comparison.only_before.size() + shared, "segment"),
                  format_bytes(bytes_of(comparison.only_before) + shared_bytes),
                  format_counted(comparison.only_after.size() + shared, "segment"),
                  format_bytes(bytes_of(comparison.only_after) + shared_bytes));
  if (shared > 0) return sentence;
  if (const std::size_t resized = resized_segments(comparison); resized > 0)
    sentence += fmt::format(" Or from one, whose expandable segments changed size: {} at the same address.",
                            resized == 1 ? "1 is" : format_count(resized) + " are");
  return sentence;
}

} // namespace

std::string_view no_change_text(bool grown) {
  return grown ? "No line grew." : "No line shrank.";
}

std::string pins_text(const Pins& pins) {
  if (pins.segments.empty()) return "No segment is less than half in use and still needed.";
  return fmt::format("{} less than half in use: {} of blocks keep {} of free memory from being returned.",
                     pins.segments.size() == 1 ? "1 segment is" : format_count(pins.segments.size()) + " segments are",
                     format_bytes(pins.active.bytes), format_bytes(pins.held_bytes));
}

std::string segments_text(const Comparison& comparison) {
  if (comparison.has_two_processes()) return two_processes_text(comparison);
  const bool has_before = !comparison.only_before.empty();
  const bool has_after = !comparison.only_after.empty();
  if (const std::size_t resized = resized_segments(comparison); resized > 0)
    return fmt::format("{} in both files; {} more at the same address, but of another size.",
                       format_counted(comparison.in_both.size(), "segment"), format_count(resized));
  if (!has_before && !has_after) return "Both files have the same segments.";
  if (comparison.in_both.empty()) return fmt::format("All of them are only {}.", has_before ? "before" : "after");
  return fmt::format("{} in both files, by address and size.", format_counted(comparison.in_both.size(), "segment"));
}

std::string scales_text(std::size_t charts, std::size_t open, bool by_time) {
  std::string text;
  if (open > 1) text = fmt::format("{} charts have the same scale of bytes and the same events.", open);
  if (open == charts) return text;
  return fmt::format("{}{}Each device has its own scale of bytes and {}.", text, text.empty() ? "" : " ",
                     by_time ? "shows its own time" : "counts its own events");
}

std::string fewer_bands_text(std::size_t bands, std::uint64_t most_bytes) {
  return fmt::format("Drawn with fewer bands than {}, to keep the file below {}.", format_count(bands),
                     format_bytes(most_bytes));
}

} // namespace memviz
