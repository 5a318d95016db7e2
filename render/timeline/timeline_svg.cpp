#include "memviz/timeline_svg.hpp"

#include "page/legend.hpp"
#include "page/notes.hpp"
#include "script/embedded.hpp"
#include "timeline/timeline_charts.hpp"
#include "timeline/timeline_data.hpp"
#include "timeline/timeline_panel.hpp"
#include "timeline/timeline_story.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace memviz {
namespace render {
namespace {

std::vector<LegendEntry> legend(TimelineView view) {
  if (view == TimelineView::segments) return {{&paint::kRest, "the rest: smaller segments"}};
  return {{&paint::kBaseline, "lived before the first event"},
          {&paint::kNoStack, "without a stack"},
          {&paint::kRest, "the rest: smaller allocations"}};
}

std::string legend_hint(TimelineView view) {
  if (view == TimelineView::segments) return "height = reserved bytes, colour = stream and pool; blue line: live bytes";
  return "height = bytes, colour = line of code; blue line: reserved bytes";
}

std::string reading_text(TimelineView view) {
  const std::string what =
      view == TimelineView::segments
          ? "bytes reserved after each event; a band is one segment, or what was mapped at once"
          : "requested bytes that lived after each event; a band is one allocation, as high as it is large";
  return what + ". In a browser: point at a band for its stack, scroll to zoom, / to search";
}

/// Where the script puts its own; without it, how to read the chart.
double draw_controls(Page& page, double y, const std::string& reading) {
  XmlElement controls = page.svg().child("g").set("id", "controls");
  controls.set("data-x", kMargin).set("data-y", y).set("data-right", kMargin + kContentWidth);
  add_text(controls, kMargin, y + 17, "small muted static-only", reading);
  return y + 32;
}

class Timeline {
public:
  Timeline(const TimelinePicture& picture, const TimelineSvgOptions& options)
      : picture_(picture), options_(options), charts_(picture, options) {}

  [[nodiscard]] std::string draw_within_budget() {
    Detail detail = first_detail(options_);
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
  [[nodiscard]] std::optional<std::string> draw(const Detail& detail) {
    charts_.make(detail);
    const std::vector<Chart>& charts = charts_.charts();
    const std::string headline =
        charts.empty() ? "No memory and no events in this snapshot" : timeline_sentence(charts.front());
    Page page(SvgOptions{.scripts = false}, "memviz: " + headline);
    page.svg().child("style").cdata(timeline_css().c_str());
    double y = draw_headline(page, headline);
    if (charts.empty()) {
      y = draw_facts(page, y, picture_.file, {}) + 8;
      page.begin_below_graph();
      return finish(page, draw_notes(page, y + 8, {"Nothing to draw: nothing was reserved and nothing happened."}));
    }
    if (const std::string answer = timeline_answer(charts.front(), picture_.snapshot.frames); !answer.empty())
      y = draw_answer(page, y, answer);
    y = draw_facts(page, y, picture_.file, timeline_facts(picture_, charts.front())) + 8;
    y = draw_figures(page, y, timeline_figures(charts.front())) + 8;
    y = draw_controls(page, y, reading_text(options_.view));
    StackTable stacks(picture_.snapshot.frames);
    const LineNames names(picture_.snapshot.frames, charts.front().holders);
    const auto below_main = draw_chart(page, y, charts.front(), {names, stacks, detail.most_steps});
    if (!below_main) return std::nullopt;
    y = draw_legend(page, *below_main + 4, legend(options_.view), legend_hint(options_.view));
    for (std::size_t i = 1; i < charts.size(); ++i) {
      add_text(page.svg(), kMargin, y + 26, "section", timeline_sentence(charts[i]));
      const auto below = draw_chart(page, y + 36, charts[i], {names, stacks, detail.most_steps});
      if (!below) return std::nullopt;
      y = *below;
    }
    if (options_.scripts) stacks.write(page.svg());
    page.begin_below_graph();
    y += 16;
    add_rule(page.below_graph(), y);
    y = draw_ranked_list(page, y + 12, peak_list(charts.front(), picture_.snapshot.frames, names, charts.size() > 1));
    return finish(page, y);
  }

  /// What the devices of a picture share.
  struct Shared {
    const LineNames& names;
    StackTable& stacks;
    std::size_t most_steps;
  };

  [[nodiscard]] std::optional<double> draw_chart(Page& page, double y, const Chart& chart, const Shared& shared) {
    const PanelData data{.frames = picture_.snapshot.frames,
                         .device = chart.device,
                         .chart = chart.bands,
                         .kind = chart.kind,
                         .lane = chart.lane,
                         .overlay = chart.overlay,
                         .names = shared.names,
                         .stacks = shared.stacks,
                         .axis = options_.axis,
                         .height = chart.height};
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
    const std::vector<Chart>& charts = charts_.charts();
    for (const Chart& chart : charts) {
      std::vector<std::string> more = timeline_notes(chart, charts.size() > 1);
      notes.insert(notes.end(), more.begin(), more.end());
    }
    if (const std::size_t places = charts_.places_left_out(); places > 0)
      notes.push_back(fmt::format("{} more streams and pools are not drawn.", format_count(places)));
    if (const std::string left_out = left_out_text(); !left_out.empty())
      notes.push_back("Not drawn: " + left_out + ".");
    return notes;
  }

  /// Devices without a chart.
  [[nodiscard]] std::string left_out_text() const {
    std::vector<std::string> texts;
    for (const DeviceStats& stats : picture_.accounts.devices) {
      const auto is_it = [&](const auto& other) { return other.device.record.device == stats.device; };
      const auto is_asked = [&](const TimelineDevice& device) { return device.record.device == stats.device; };
      if (std::any_of(charts_.charts().begin(), charts_.charts().end(), is_it)) continue;
      if (std::none_of(picture_.devices.begin(), picture_.devices.end(), is_asked)) continue;
      if (texts.size() == 8) {
        texts.emplace_back("…");
        break;
      }
      texts.push_back(fmt::format("{} (peak {}, {})", device_name(stats.device, stats.is_cpu),
                                  format_bytes(stats.peak_requested_bytes), count_of(stats.events, "event")));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  const TimelinePicture& picture_;
  const TimelineSvgOptions& options_;
  Charts charts_;
  std::size_t asked_bands_ = 0;
  bool is_lowered_ = false;
};

} // namespace
} // namespace render

std::string timeline_svg(const TimelinePicture& picture, const TimelineSvgOptions& options) {
  return render::Timeline(picture, options).draw_within_budget();
}

} // namespace memviz
