#include "timeline/timeline_data.hpp"

#include "memviz/label.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::render {
namespace {

constexpr std::size_t kMostFrames = 64; ///< of a stack

class Differences {
public:
  void add(std::int64_t number) {
    if (!text_.empty()) text_ += ' ';
    text_ += std::to_string(number - last_);
    last_ = number;
  }
  void add(std::uint64_t number) { add(static_cast<std::int64_t>(number)); }
  [[nodiscard]] const std::string& text() const { return text_; }

private:
  std::string text_;
  std::int64_t last_ = 0;
};

/// Rounds to a thousandth, so that the script has the same numbers as the picture.
std::string plain(double value) {
  return fmt::format("{:.3f}", value);
}

void write_slices(XmlElement data, const BandChart& chart, TimelineAxis axis, const StateScale& states) {
  Differences state;
  Differences live;
  Differences at;
  for (const Slice& slice : chart.slices) {
    state.add(std::uint64_t{slice.state});
    live.add(slice.live_bytes);
    at.add(static_cast<std::int64_t>(std::floor(states.position(slice.state))));
  }
  data.set("states", state.text()).set("live", live.text());
  if (axis == TimelineAxis::time) data.set("at", at.text());
}

/// As many as there are slices: more steps would be too close to be distinguished.
void write_overlay(XmlElement data, const OverlayLine& overlay, const BandChart& chart, const StateScale& states) {
  constexpr std::size_t kMostSteps = 2000;
  const std::uint32_t from = std::max(overlay.from, chart.window.first);
  std::vector<Step> within;
  for (const Step& step : overlay.steps) {
    if (step.state > chart.window.last) break;
    if (step.state <= from) within.clear();
    within.push_back({std::max(step.state, from), step.bytes});
  }
  if (from > chart.window.last) within.clear();
  const std::size_t stride = within.size() / kMostSteps + 1;
  Differences at;
  Differences bytes;
  for (std::size_t i = 0; i < within.size(); i += stride) {
    const std::size_t end = std::min(within.size(), i + stride);
    std::uint64_t highest = 0;
    for (std::size_t j = i; j < end; ++j)
      highest = std::max(highest, within[j].bytes);
    at.add(static_cast<std::int64_t>(std::floor(states.position(within[i].state))));
    bytes.add(highest);
  }
  data.set("reserved-at", at.text()).set("reserved", bytes.text());
}

char letter_of(CodeOrigin origin) {
  switch (origin) {
  case CodeOrigin::user: return 'u';
  case CodeOrigin::torch: return 't';
  case CodeOrigin::library: return 'l';
  case CodeOrigin::cpp: break;
  }
  return 'c';
}

} // namespace

std::uint32_t StackTable::place_of(StackId stack) {
  const auto [number, is_new] = stack_places_.add(stack.value, static_cast<std::uint32_t>(stack_places_.size()));
  if (!is_new) return number;
  if (number > 0) stacks_ += '\n';
  std::size_t count = 0;
  for (const FrameId frame : shown_.of(stack, kMostFrames)) {
    const auto [place, is_first] = frame_places_.add(frame.value, static_cast<std::uint32_t>(frame_places_.size()));
    if (is_first) {
      const Label label = labels_.of(frame);
      origins_ += letter_of(frame_origins_[frame.value]);
      frame_names_ +=
          fmt::format("{}{}{}{}", place > 0 ? "\n" : "", label.name, label.place.empty() ? "" : " ", label.place);
    }
    stacks_ += fmt::format("{}{}", count++ > 0 ? " " : "", place);
  }
  return number;
}

void StackTable::write(XmlElement parent) const {
  parent.child("metadata").set("id", "frame-names").set("origins", origins_).text(frame_names_);
  parent.child("metadata").set("id", "stacks").text(stacks_);
}

std::string BandKeepers::numbers_of(DeviceId device, const Life& life) {
  const BlockPath kept = life.end == kForever ? keepers_.path_at(device, life.address) : BlockPath{};
  return std::to_string(texts_.number_of(kept.path)) +
         item_numbers(frames_, keepers_.table().paths.items_until(kept.item),
                      [this](const std::string& name) { return texts_.number_of(name); });
}

void BandKeepers::write(XmlElement parent) const {
  parent.child("metadata").set("id", "keepers").text(fmt::format("{}", fmt::join(texts_.texts(), "\n\n")));
}

void write_panel_data(XmlElement panel, const PanelData& data, double top) {
  const StateScale& states = data.layout.states;
  const ByteScale& bytes = data.layout.bytes;
  XmlElement written = panel.child("metadata");
  written.set("axis", data.axis == TimelineAxis::time ? "time" : "event").set("words", data.axis_words);
  written.set("begin", plain(states.begin())).set("end", plain(states.end()));
  written.set("left", kChartLeft - kMargin).set("y", top).set("width", states.width()).set("height", bytes.height());
  written.set("top", bytes.top_bytes()).set("cut", bytes.cut_bytes()).set("cut-height", bytes.cut_height());
  write_slices(written, data.chart.bands, data.axis, states);
  write_overlay(written, data.chart.overlay, data.chart.bands, states);
}

} // namespace memviz::render
