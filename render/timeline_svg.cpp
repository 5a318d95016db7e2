#include "memviz/timeline_svg.hpp"

#include "embedded.hpp"
#include "legend.hpp"
#include "notes.hpp"
#include "timeline_data.hpp"
#include "timeline_panel.hpp"
#include "timeline_story.hpp"

#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz {
namespace render {
namespace {

constexpr double kMainHeight = 420;
constexpr double kOtherHeight = 170;
constexpr std::size_t kMostPanels = 16;
constexpr std::size_t kMostBands = 20'000;
constexpr std::size_t kUsualBands = 3'000;
constexpr std::size_t kMostSlices = 4'500;
constexpr std::size_t kFewestSlices = 300;
constexpr std::uint32_t kLaneRows = 4;
/// A step of a band takes about this many bytes of SVG.
constexpr std::size_t kStepBytes = 16;

/// How much of a recording is drawn.
struct Detail {
  std::size_t bands = kUsualBands;
  std::size_t slices = kMostSlices;
  std::size_t most_steps = 0; ///< of all bands of a panel

  /// False when there is nothing left to leave out.
  bool lower(double share) {
    if (bands == 0 && slices == kFewestSlices) return false;
    const double kept = std::clamp(share * 0.9, 0.2, 0.9);
    bands = bands < 20 ? 0 : static_cast<std::size_t>(static_cast<double>(bands) * kept);
    slices = std::max(kFewestSlices, static_cast<std::size_t>(static_cast<double>(slices) * std::sqrt(kept)));
    return true;
  }
};

const DeviceStats& stats_of(const Replay& accounts, std::uint32_t device) {
  const auto found =
      std::lower_bound(accounts.devices.begin(), accounts.devices.end(), device,
                       [](const DeviceStats& stats, std::uint32_t wanted) { return stats.device < wanted; });
  if (found == accounts.devices.end() || found->device != device)
    throw Error(fmt::format("device {} is not in the snapshot", device));
  return *found;
}

/// Those that ran out of memory come first, then the largest peaks; what has no events is drawn only where nothing has
/// any.
std::vector<const TimelineDevice*> drawn_devices(const TimelinePicture& picture) {
  std::vector<const TimelineDevice*> devices;
  for (const TimelineDevice& device : picture.devices)
    if (stats_of(picture.accounts, device.record.device).peak_requested_bytes > 0 || device.record.events > 0)
      devices.push_back(&device);
  const bool has_events =
      std::any_of(devices.begin(), devices.end(), [](const auto* device) { return device->record.events > 0; });
  if (has_events) std::erase_if(devices, [](const TimelineDevice* device) { return device->record.events == 0; });
  std::stable_sort(devices.begin(), devices.end(), [&](const TimelineDevice* left, const TimelineDevice* right) {
    const DeviceStats& before = stats_of(picture.accounts, left->record.device);
    const DeviceStats& after = stats_of(picture.accounts, right->record.device);
    if ((before.ooms > 0) != (after.ooms > 0)) return before.ooms > 0;
    return before.peak_requested_bytes > after.peak_requested_bytes;
  });
  if (devices.size() > kMostPanels) devices.resize(kMostPanels);
  return devices;
}

const std::vector<LegendEntry>& legend() {
  static const std::vector<LegendEntry> entries{{&paint::kBaseline, "lived before the recording"},
                                                {&paint::kNoStack, "without a stack"},
                                                {&paint::kRest, "the rest: smaller allocations"}};
  return entries;
}

/// Where the script puts its own; without it, how to read the chart.
double draw_controls(Page& page, double y) {
  XmlElement controls = page.svg().child("g").set("id", "controls");
  controls.set("data-x", kMargin).set("data-y", y).set("data-right", kMargin + kContentWidth);
  add_text(
      controls, kMargin, y + 17, "small muted static-only",
      "requested bytes that lived after each event; a band is one allocation, as high as it is large. In a browser: "
      "point at a band for its stack, scroll to zoom, / to search");
  return y + 32;
}

class Timeline {
public:
  Timeline(const TimelinePicture& picture, const TimelineSvgOptions& options) : picture_(picture), options_(options) {
    for (const TimelineDevice* device : drawn_devices(picture)) {
      if (options.axis == TimelineAxis::time && device->record.events > 0 && device->record.times_us.empty())
        throw UsageError("the events have no times (PyTorch writes them since 2.2): use --axis event");
      drawn_.push_back({*device, stats_of(picture.accounts, device->record.device), {}, {}, {}});
    }
  }

  [[nodiscard]] std::string draw_within_budget() {
    Detail detail;
    detail.bands = std::min(options_.detail.value_or(kUsualBands), kMostBands);
    detail.most_steps = options_.max_bytes / kStepBytes;
    asked_bands_ = detail.bands;
    for (;;) {
      const auto svg = draw(detail);
      if (svg && svg->size() <= options_.max_bytes) return *svg;
      const double share = svg ? static_cast<double>(options_.max_bytes) / static_cast<double>(svg->size()) : 0.5;
      if (!detail.lower(share)) return svg.value_or("");
      is_lowered_ = true;
      if (detail.bands == 0) detail.most_steps = std::numeric_limits<std::size_t>::max();
    }
  }

private:
  void chart(const Detail& detail) {
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      DrawnDevice& drawn = drawn_[i];
      TimelineOptions options;
      options.view = TimelineView::active;
      options.axis = options_.axis;
      options.most_bands = i == 0 ? detail.bands : detail.bands / 4;
      options.most_slices = i == 0 ? detail.slices : std::max(kFewestSlices, detail.slices / 2);
      // Without a number, what cannot be seen is left to the rest.
      const double height = i == 0 ? kMainHeight : kOtherHeight;
      if (!options_.detail)
        options.least_bytes = static_cast<std::uint64_t>(
            static_cast<double>(drawn.stats.peak_requested_bytes - drawn.stats.baseline_bytes) / height * 0.4);
      drawn.chart = chart_bands(drawn.device.record, drawn.device.window, options);
      if (is_first_) drawn.lane = annotation_lane(picture_.snapshot, drawn.device.record, kLaneRows);
      if (is_first_)
        drawn.holders = holders_at(picture_.snapshot, picture_.accounts, drawn.device.record,
                                   drawn.chart.slices[drawn.chart.peak].state);
    }
    is_first_ = false;
  }

  [[nodiscard]] std::optional<std::string> draw(const Detail& detail) {
    chart(detail);
    const std::string headline =
        drawn_.empty() ? "No memory and no events in this snapshot" : timeline_sentence(drawn_.front());
    Page page(SvgOptions{.scripts = false}, "memviz: " + headline);
    page.svg().child("style").cdata(timeline_css().c_str());
    double y = draw_headline(page, headline);
    if (drawn_.empty()) {
      y = draw_facts(page, y, picture_.file, {}) + 8;
      page.begin_below_graph();
      return finish(page, draw_notes(page, y + 8, {"Nothing to draw: nothing was reserved and nothing happened."}));
    }
    if (const std::string answer = timeline_answer(drawn_.front(), picture_.snapshot.frames); !answer.empty())
      y = draw_answer(page, y, answer);
    y = draw_facts(page, y, picture_.file, timeline_facts(picture_, drawn_.front())) + 8;
    y = draw_figures(page, y, timeline_figures(drawn_.front())) + 8;
    y = draw_controls(page, y);
    StackTable stacks(picture_.snapshot.frames);
    const LineNames names(picture_.snapshot.frames, drawn_.front().holders);
    const auto below_main = draw_device(page, y, drawn_.front(), {names, stacks, detail.most_steps});
    if (!below_main) return std::nullopt;
    y = draw_legend(page, *below_main + 4, legend(),
                    "height = bytes, colour = line of code; blue line: reserved bytes");
    for (std::size_t i = 1; i < drawn_.size(); ++i) {
      add_text(page.svg(), kMargin, y + 26, "section", timeline_sentence(drawn_[i]));
      const auto below = draw_device(page, y + 36, drawn_[i], {names, stacks, detail.most_steps});
      if (!below) return std::nullopt;
      y = *below;
    }
    if (options_.scripts) stacks.write(page.svg());
    page.begin_below_graph();
    y += 16;
    add_rule(page.below_graph(), y);
    y = draw_ranked_list(page, y + 12, peak_list(drawn_.front(), picture_.snapshot.frames, names, drawn_.size() > 1));
    return finish(page, y);
  }

  /// What the devices of a picture share.
  struct Shared {
    const LineNames& names;
    StackTable& stacks;
    std::size_t most_steps;
  };

  [[nodiscard]] std::optional<double> draw_device(Page& page, double y, const DrawnDevice& drawn,
                                                  const Shared& shared) {
    const PanelData data{.frames = picture_.snapshot.frames,
                         .stats = drawn.stats,
                         .device = drawn.device,
                         .chart = drawn.chart,
                         .lane = drawn.lane,
                         .names = shared.names,
                         .stacks = shared.stacks,
                         .axis = options_.axis,
                         .height = &drawn == &drawn_.front() ? kMainHeight : kOtherHeight};
    return draw_panel(page, y, data, shared.most_steps);
  }

  [[nodiscard]] std::string finish(Page& page, double y) {
    add_rule(page.below_graph(), y + 4);
    y = draw_warnings(page, y + 14, picture_.warnings);
    y = draw_notes(page, y, notes());
    y = draw_signature(page, y, "drawn by memviz");
    if (options_.scripts) page.svg().child("script").cdata(kTimelineScript);
    return page.finish(y);
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (is_lowered_)
      notes.push_back(fmt::format("Drawn with fewer bands than {}, so that the file is no larger than {}.",
                                  format_count(asked_bands_), format_bytes(options_.max_bytes)));
    for (const DrawnDevice& drawn : drawn_) {
      std::vector<std::string> more = timeline_notes(drawn, drawn_.size() > 1);
      notes.insert(notes.end(), more.begin(), more.end());
    }
    const std::size_t left_out = picture_.devices.size() - drawn_.size();
    if (left_out > 0)
      notes.push_back(fmt::format("{} not drawn: {}.",
                                  left_out == 1 ? "1 device is" : format_count(left_out) + " devices are",
                                  left_out_text()));
    return notes;
  }

  [[nodiscard]] std::string left_out_text() const {
    std::vector<std::string> texts;
    for (const TimelineDevice& device : picture_.devices) {
      const auto is_drawn = [&](const DrawnDevice& drawn) { return drawn.stats.device == device.record.device; };
      if (std::any_of(drawn_.begin(), drawn_.end(), is_drawn)) continue;
      if (texts.size() == 8) {
        texts.emplace_back("…");
        break;
      }
      const DeviceStats& stats = stats_of(picture_.accounts, device.record.device);
      texts.push_back(fmt::format("{} (peak {}, {})", device_name(stats.device, stats.is_cpu),
                                  format_bytes(stats.peak_requested_bytes), count_of(stats.events, "event")));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  const TimelinePicture& picture_;
  const TimelineSvgOptions& options_;
  std::vector<DrawnDevice> drawn_;
  std::size_t asked_bands_ = 0;
  bool is_first_ = true;
  bool is_lowered_ = false;
};

} // namespace
} // namespace render

std::string timeline_svg(const TimelinePicture& picture, const TimelineSvgOptions& options) {
  return render::Timeline(picture, options).draw_within_budget();
}

} // namespace memviz
