#include "memviz/svg.hpp"

#include "accounts.hpp"
#include "bars.hpp"
#include "budget.hpp"
#include "describe.hpp"
#include "graph_view.hpp"
#include "header.hpp"
#include "legend.hpp"
#include "notes.hpp"
#include "ranked_list.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>

namespace memviz {
namespace render {
namespace {

/// A peak this many times above what is drawn deserves a hint.
constexpr double kFarAbove = 1.25;

std::string sentence(const std::vector<DeviceStats>& devices, const DeviceStats& sum) {
  if (sum.reserved_bytes == 0) return "No memory is reserved in this snapshot";
  return fmt::format("{} reserved on {}, {} in use", format_bytes(sum.reserved_bytes), devices_text(devices),
                     format_percent(sum.allocated_bytes + sum.pending_free_bytes, sum.reserved_bytes));
}

std::vector<std::string> facts(const Snapshot& snapshot, const DeviceStats& sum) {
  std::vector<std::string> facts{"at the end of recording"};
  facts.push_back(sum.events == 0 ? "no events" : count_of(sum.events, "event"));
  facts.push_back(count_of(sum.segments, "segment"));
  facts.push_back(count_of(sum.blocks, "block"));
  if (!snapshot.origin.generation.empty()) facts.push_back(snapshot.origin.generation);
  if (sum.ooms > 0)
    facts.push_back(fmt::format("ran out of memory {}", sum.ooms == 1 ? "once" : format_count(sum.ooms) + " times"));
  return facts;
}

Figure peak_figure(const DeviceStats& sum, std::size_t devices) {
  Figure figure{.name = devices > 1 ? "Sum of peaks" : "Peak requested",
                .value = format_bytes(sum.peak_requested_bytes)};
  if (sum.events == 0) {
    figure.value = "unknown";
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

std::vector<Figure> figures(const DeviceStats& sum, std::size_t devices) {
  const std::uint64_t reserved = sum.reserved_bytes;
  std::vector<Figure> figures;
  figures.push_back({.name = "Reserved", .value = format_bytes(reserved)});
  figures.push_back({.name = "Allocated",
                     .value = format_bytes(sum.allocated_bytes),
                     .note = fmt::format("{} requested{}", format_bytes(sum.requested_bytes),
                                         sum.pending_free_bytes > 0 ? " with pending" : ""),
                     .swatch = &paint::kRequested});
  figures.push_back({.name = "Rounding", .value = format_bytes(sum.rounding_bytes()), .swatch = &paint::kRounding});
  figures.push_back({.name = "Pending free",
                     .value = format_bytes(sum.pending_free_bytes),
                     .swatch = sum.pending_free_bytes > 0 ? &paint::kPending : nullptr});
  figures.push_back({.name = "Inactive (free)",
                     .value = format_bytes(sum.inactive_bytes),
                     .note = format_percent(sum.inactive_bytes, reserved) + " of reserved",
                     .swatch = &paint::kInactive});
  if (sum.unaccounted_bytes > 0)
    figures.push_back({.name = "Unaccounted",
                       .value = format_bytes(sum.unaccounted_bytes),
                       .note = "covered by no block",
                       .note_class = "warning",
                       .swatch = &paint::kUnaccounted});
  figures.push_back(peak_figure(sum, devices));
  return figures;
}

std::vector<Bar> bars(const std::vector<DeviceStats>& devices) {
  std::vector<Bar> bars;
  for (const DeviceStats& stats : devices) {
    Bar bar{"", bar_parts(stats), ""};
    if (devices.size() > 1) {
      bar.name = device_name(stats.device, stats.is_cpu);
      bar.note = fmt::format("{}, peak {}", use_text(stats), format_bytes(stats.peak_requested_bytes));
    }
    bars.push_back(std::move(bar));
  }
  return bars;
}

const std::vector<LegendEntry>& legend() {
  static const std::vector<LegendEntry> entries{
      {&paint::kUser, "your code"},           {&paint::kTorch, "torch"},
      {&paint::kLibrary, "other Python"},     {&paint::kCpp, "C++"},
      {&paint::kGroup, "allocator"},          {&paint::kFree, "free"},
      {&paint::kRounding, "rounding (gaps)"}, {&paint::kNoStack, "no stack"},
  };
  return entries;
}

RankedList ranked_list(const FlamePicture& picture, const std::vector<CodeOrigin>& origins, const DeviceStats& sum) {
  RankedList list;
  list.heading = "Largest users, by your own line of code";
  const FrameTable& frames = picture.snapshot.frames;
  std::uint64_t rest_bytes = 0;
  for (const UserLine& user : picture.users) {
    if (list.rows.size() == kRankedRows) {
      rest_bytes += user.amount.bytes;
      continue;
    }
    list.rows.push_back({format_bytes(user.amount.bytes), user.amount.bytes,
                         format_percent(user.amount.bytes, sum.requested_bytes), key_label(frames, user.key),
                         count_of(user.amount.blocks, "block"),
                         key_heading(frames, origins, user.key) + "\n" + format_count(user.amount.bytes) + " bytes",
                         &key_paint(origins, user.key)});
  }
  const std::size_t more = picture.users.size() - list.rows.size();
  if (more > 0)
    list.rest = fmt::format("and {} with {} together", count_of(more, "more line"), format_bytes(rest_bytes));
  if (list.rows.empty()) list.rest = "Nothing is in use.";
  return list;
}

std::vector<std::string> notes(const FlamePicture& picture, const DeviceStats& sum) {
  std::vector<std::string> notes = missing_stack_notes(picture.users, sum.requested_bytes);
  if (!picture.devices.empty()) notes.push_back(balance_text(sum));
  return notes;
}

std::string draw(const FlamePicture& picture, const SvgOptions& options, const std::vector<CodeOrigin>& origins,
                 const Layout<Amount>& layout) {
  const DeviceStats sum = sum_of(picture.devices);
  const std::string headline = sentence(picture.devices, sum);
  Page page(options, "memviz: " + headline);
  double y = draw_headline(page, headline);
  y = draw_facts(page, y, picture.file, facts(picture.snapshot, sum)) + 8;
  if (layout.units > 0) {
    y = draw_figures(page, y, figures(sum, picture.devices.size())) + 8;
    y = draw_bars(page, y, bars(picture.devices)) + 8;
    y = draw_legend(page, y, legend(), reading_hint(options, layout.is_squeezed));
    y = draw_graph(page, y, describe(picture.snapshot.frames, origins, picture.tree, layout), options) + 20;
    add_rule(page.below_graph(), y);
    y = draw_ranked_list(page, y + 12, ranked_list(picture, origins, sum));
  } else {
    page.begin_below_graph();
    y = draw_notes(page, y + 8, {"Nothing to draw: the file holds no segments."});
  }
  add_rule(page.below_graph(), y + 4);
  y = draw_warnings(page, y + 14, picture.warnings);
  y = draw_notes(page, y, notes(picture, sum));
  return page.finish(draw_signature(page, y, "drawn by memviz"));
}

} // namespace
} // namespace render

std::string flame_svg(const FlamePicture& picture, const SvgOptions& options) {
  const std::vector<CodeOrigin> origins = render::origins_of(picture.snapshot.frames);
  return render::draw_within_budget(picture.tree, origins, options, [&](const render::Layout<Amount>& layout) {
    return render::draw(picture, options, origins, layout);
  });
}

} // namespace memviz
