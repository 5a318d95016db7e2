#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/causes_json.hpp"
#include "export/device_json.hpp"
#include "export/line_json.hpp"
#include "export/lines_json.hpp"
#include "export/stack_lines.hpp"
#include "export/steps_json.hpp"
#include "export/text_limit.hpp"
#include "memviz/keeper_words.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/leaks.hpp"
#include "memviz/leaks_report.hpp"
#include "memviz/leaks_words.hpp"
#include "memviz/warnings.hpp"

#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace memviz {

namespace {

std::string_view doubt_name(Doubt doubt) {
  switch (doubt) {
  case Doubt::none: return "none";
  case Doubt::one_pass: return "one pass";
  case Doubt::loading: return "loading";
  case Doubt::offset: return "offset";
  }
  return "none";
}

/// Writes the figures, without the lists of stacks.
void write_figures(JsonWriter& json, const Recording& recording, const DeviceLeaks& leaks) {
  write_device_key(json, leaks.device).member("events", leaks.events);
  write_object(json.key("steps"), kSteps, {recording, leaks.steps});
  json.member("stacks", leaks.stacks).member("bytes_per_step", leaks.bytes_per_step());
  if (leaks.capacity_bytes) {
    json.member("capacity_bytes", *leaks.capacity_bytes);
    json.member("capacity_source", leaks.capacity_source == CapacitySource::given ? "given" : "oom");
  }
  if (const auto left = leaks.steps_left()) json.member("steps_left", *left);
  json.member("floor_bytes", leaks.floor_bytes).member("peak_bytes", leaks.peak_bytes);
}

void write_trend(JsonWriter& json, const StackGrowth& growth) {
  const Trend& trend = growth.trend;
  json.member("bytes_per_step", std::llround(trend.bytes_per_step))
      .member("growth_bytes",
              static_cast<std::int64_t>(growth.last_bytes) - static_cast<std::int64_t>(growth.first_bytes))
      .member("rises", trend.rises)
      .member("falls", trend.falls)
      .member("last_rise_step", trend.last_rise);
  if (trend.kind != TrendKind::grows) return;
  json.member("seen_steps", growth.seen_steps)
      .member("of_steps", growth.of_steps)
      .member("first_step", trend.first_step)
      .member("confidence_word", confidence_word(trend.confidence))
      .member("sign", growth.sign == GrowthSign::floor ? "floor" : "survivors");
}

/// Writes one line per stack: deep ones are most of the text.
class LeaksJson {
public:
  LeaksJson(const MemoryState& state, JsonWriter& json)
      : recording_(*state.recording), frames_(state.frames()), lines_(state.frames()), calls_(state.frames()),
        kinds_(kinds_by_stack(state)), limit_(state.recording->origin.size_bytes, "--device or -o write less"),
        json_(json) {}

  void add(const DeviceLeaks& leaks) {
    device_ = leaks.device;
    keepers_ = &leaks.keepers;
    limit_.add(leaks.steps.name.size());
    json_.begin_object(JsonLayout::compact);
    write_figures(json_, recording_, leaks);
    json_.set_layout(JsonLayout::spaced);
    add_list("grows", leaks.grows);
    if (leaks.doubt != Doubt::none) {
      json_.key("doubtful").begin_object(JsonLayout::compact).member("reason", doubt_name(leaks.doubt));
      json_.set_layout(JsonLayout::spaced);
      add_list("stacks", leaks.doubtful);
      json_.end_object();
    }
    add_list("late_frees", leaks.late_frees);
    add_list("replaced", leaks.replaced);
    add_list("stopped", leaks.stopped);
    json_.key("kept").begin_array();
    for (const Cause& cause : leaks.kept)
      write_object(json_, kCause, {frames_, {.requested_bytes = leaks.requested_bytes}, cause});
    json_.end_array();
    json_.end_object();
  }

private:
  void add_list(std::string_view name, const std::vector<StackGrowth>& growths) {
    json_.key(name).begin_array(JsonLayout::hanging);
    for (const StackGrowth& growth : growths)
      add_growth(growth);
    json_.end_array();
  }

  void add_growth(const StackGrowth& growth) {
    limit_.add(lines_.line(growth.stack).size());
    json_.begin_object(JsonLayout::compact).member("line", lines_.line(growth.stack));
    if (const auto inner = lines_.finder().inner_line_of(growth.stack)) {
      const std::string label = node_label(frames_, *inner);
      limit_.add(label.size());
      json_.member("inner_line", label);
    }
    add_callers(growth.stack);
    if (frames_.stack(growth.stack).empty()) json_.member("block_bytes", growth.size_bytes);
    if (const auto kind = kinds_.find({device_, growth.stack}); kind != kinds_.end())
      json_.member("kind", kind_name(kind->second));
    add_keeper(growth.stack);
    write_trend(json_, growth);
    json_.member("end_bytes", growth.end_bytes).member("end_blocks", growth.end_blocks);
    if (growth.trend.kind == TrendKind::late_frees) add_burst(growth.burst);
    if (!growth.floor_bytes.empty())
      json_.member("floor_bytes", growth.floor_bytes)
          .member("start_bytes", growth.start_bytes)
          .member("survivor_bytes", growth.survivor_bytes);
    json_.set_layout(JsonLayout::spaced);
    add_frames(growth.stack);
    json_.end_object();
  }

  void add_callers(StackId stack) {
    if (frames_.stack(stack).empty()) return;
    const std::size_t before = json_.written_bytes();
    write_callers(json_, callers_of(frames_, calls_, stack, lines_.finder().line_of(stack)));
    limit_.add(json_.written_bytes() - before);
  }

  /// Writes nothing for a stack that no variable keeps.
  void add_keeper(StackId stack) {
    const auto found = keepers_->find(stack);
    if (found == keepers_->end() || !found->second.variable) return;
    const std::string text = variable_text(frames_, *found->second.variable);
    limit_.add(text.size());
    json_.key("keeper").begin_object().member("text", text).member("bytes", found->second.bytes);
    json_.member("stack_bytes", found->second.stack_bytes).end_object();
  }

  void add_burst(const FreeBurst& burst) {
    json_.key("largest_free").begin_object().member("step", burst.step).member("bytes", burst.bytes);
    json_.member("blocks", burst.blocks);
    if (!frames_.stack(burst.stack).empty()) json_.member("line", lines_.line(burst.stack));
    json_.end_object();
  }

  void add_frames(StackId stack) {
    json_.key("frames").begin_array();
    for (const FrameId frame : frames_.stack(stack)) {
      const std::size_t before = json_.written_bytes();
      json_.begin_object(JsonLayout::compact)
          .member("name", frames_.name(frame))
          .member("file", frames_.filename(frame))
          .member("line", known_line(frames_.frame(frame).line))
          .end_object();
      limit_.add(json_.written_bytes() - before);
    }
    json_.end_array();
  }

  const Recording& recording_;
  const FrameTable& frames_;
  StackLines lines_;
  CallLineFinder calls_;
  std::map<std::pair<DeviceId, StackId>, MemoryKind> kinds_;
  DeviceId device_; ///< for the stacks that are written
  const std::map<StackId, StackKeeper>* keepers_ = nullptr;
  TextLimit limit_;
  JsonWriter& json_;
};

} // namespace

std::string leaks_json(const std::string& file, const MemoryState& state, const std::vector<DeviceLeaks>& devices) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.leaks/1.3").member("file", file).key("devices").begin_array(JsonLayout::rows);
    LeaksJson leaks_json(state, json);
    for (const DeviceLeaks& leaks : devices)
      leaks_json.add(leaks);
    json.end_array().key("warnings").begin_array(JsonLayout::compact);
    for (const std::string& warning : warnings_of(state))
      json.value(warning);
    json.end_array().end_object();
  });
}

} // namespace memviz
