#include "base/printable.hpp"
#include "base/saturating.hpp"
#include "export/trace_lines.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace memviz {

namespace {

/// "12.345678": seconds.
std::string seconds_text(std::int64_t us) {
  constexpr std::uint64_t kSecond = 1'000'000;
  const std::uint64_t size = magnitude(us);
  return fmt::format("{}{}.{:06}", us < 0 ? "-" : "", size / kSecond, size % kSecond);
}

/// "2024-05-01 12:34:56.123456" from microseconds since 1970, UTC; "12 us since 1970" outside the years 1970 to 9999.
std::string utc_time(std::int64_t us_since_1970) {
  constexpr std::int64_t kYear10000 = 253'402'300'800'000'000;
  if (us_since_1970 < 0 || us_since_1970 >= kYear10000) return fmt::format("{} us since 1970", us_since_1970);
  const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(us_since_1970)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<std::chrono::microseconds> clock{time - day};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

constexpr std::size_t kTraceLineColumns = 60;
constexpr std::size_t kTextColumns = 100;
constexpr std::string_view kFrameIndent = "        ";

std::string signed_duration(std::int64_t us) {
  return (us < 0 ? "-" : "+") + format_duration(magnitude(us));
}

/// "3 events, 12.5 ms"
std::string span_text(const EventPoint& from, std::uint64_t index, const Event& event) {
  std::string text = format_counted(index - from.event, "event");
  if (from.time_us && event.time_us && *event.time_us >= *from.time_us)
    text += ", " + format_duration(magnitude(saturating_difference(*event.time_us, *from.time_us)));
  return text;
}

void add_spaces(std::string& out, std::string_view text, std::size_t columns) {
  const std::size_t taken = column_count(text);
  if (taken < columns) out.append(columns - taken, ' ');
}

/// Writes a cell of the table; fmt would take as long as the rest of the line.
void add_left(std::string& out, std::string_view text, std::size_t columns) {
  out += "  ";
  out += text;
  add_spaces(out, text, columns);
}

void add_right(std::string& out, std::string_view text, std::size_t columns) {
  out += "  ";
  add_spaces(out, text, columns);
  out += text;
}

class TextLines final : public TraceLines {
public:
  TextLines(const Recording& recording, const TraceOptions& options, TextSink write)
      : recording_(recording), options_(options), write_(std::move(write)),
        stack_lines_(recording.frames, kTraceLineColumns) {}

  void begin(std::string& out, DeviceId device, const TraceSurvey::Device& survey) override {
    first_us_ = survey.first_us;
    above_us_.reset();
    index_columns_ = std::max<std::size_t>(5, std::to_string(survey.events).size());
    if (is_begun_) out += '\n';
    is_begun_ = true;
    const std::string name = device_heading(device, recording_.origin.kind_of(device));
    out += fmt::format("{}: {}{}\n", name, format_counted(survey.events, "event"),
                       first_us_ ? ", the first at " + utc_time(*first_us_) + " UTC" : "");
    if (survey.events == 0) return;
    add_columns(out, "event", "time", "since", "action");
    out += fmt::format("  {:<18}  {:>8}  {:>15}  {}\n", "allocation", "size", "in bytes", "line");
  }

  void add(std::string& out, const TraceLine& line) override {
    const Event& event = line.event;
    begin_line(out, std::to_string(line.index), event.time_us, action_text(recording_.frames, event));
    const std::string name = line.life ? allocation_name(*line.life) : "";
    add_left(out, name, 18);
    add_right(out, format_bytes(event.size_bytes), 8);
    add_right(out, format_count(event.size_bytes), 15);
    add_after_gap(out, stack_lines_.line(event.stack));
    add_details(out, line);
    out += '\n';
    if (!options_.stacks) return;
    for (const FrameId frame : recording_.frames.stack(event.stack))
      add_frame(out, frame);
    for (const FrameId frame : recording_.frames.stack(event.forward_stack))
      add_below(out, "forward: " + std::string(bounded(recording_.frames.name(frame))));
  }

  void add(std::string& out, const Annotation& annotation) override {
    const FrameTable& frames = recording_.frames;
    begin_line(out, "", annotation.time_us, "annotation");
    add_after_gap(out, elided(frames.text(annotation.stage), kTextColumns));
    add_after_gap(out, elided(frames.text(annotation.name), kTextColumns));
    bool is_first = true;
    for (const auto& [key, value] : annotation.metadata) {
      out += std::exchange(is_first, false) ? "  [" : "; ";
      out += elided(frames.text(key), kTextColumns) + ": " + elided(frames.text(value), kTextColumns);
      write_long(out);
    }
    out += annotation.metadata.empty() ? "\n" : "]\n";
  }

  void end(std::string& out, const TraceCount& count) override {
    if (count.shown == count.events) return;
    out += fmt::format("  {} of {}\n", format_count(count.shown), format_counted(count.events, "event"));
  }

private:
  void add_columns(std::string& out, std::string_view index, std::string_view time, std::string_view since,
                   std::string_view action) const {
    add_right(out, index, index_columns_);
    if (first_us_) {
      add_right(out, time, options_.time == TraceTime::absolute ? 26 : 12);
      add_right(out, since, 9);
    }
    add_left(out, action, 14);
  }

  void begin_line(std::string& out, std::string_view index, std::optional<std::int64_t> time_us,
                  std::string_view action) {
    std::string time;
    std::string since;
    if (time_us && first_us_) {
      time = options_.time == TraceTime::absolute ? utc_time(*time_us)
                                                  : seconds_text(saturating_difference(*time_us, *first_us_));
      if (above_us_) since = signed_duration(saturating_difference(*time_us, *above_us_));
      above_us_ = time_us;
    }
    add_columns(out, index, time, since, elided(action, 40));
  }

  void write_long(std::string& out) const {
    if (out.size() < kTracePieceBytes) return;
    write_(out);
    out.clear();
  }

  /// A line of its own below an event.
  void add_below(std::string& out, const std::string& text) const {
    out += kFrameIndent;
    out += printable(text);
    out += '\n';
    write_long(out);
  }

  void add_frame(std::string& out, FrameId frame) const {
    const FrameTable& frames = recording_.frames;
    add_below(out, fmt::format("{}:{}: {}", bounded(frames.filename(frame)), file_line_text(frames.frame(frame).line),
                               bounded(frames.name(frame))));
    if (const std::string fx = fx_text(frames, frame); !fx.empty()) add_below(out, "  " + fx);
  }

  static void add_after_gap(std::string& out, const std::string& text) {
    if (!text.empty()) out += "  " + text;
  }

  static void add_detail(std::string& details, const std::string& text) {
    if (!details.empty()) details += "; ";
    details += text;
  }

  void add_details(std::string& out, const TraceLine& line) const {
    const FrameTable& frames = recording_.frames;
    const Event& event = line.event;
    std::string details;
    if (event.action == Action::oom) add_detail(details, "the device had " + format_bytes(event.address) + " free");
    if (event.stream != 0) add_detail(details, fmt::format("stream {}", event.stream));
    if (line.pool && line.pool->is_private()) add_detail(details, node_label(frames, *line.pool));
    if (line.life && line.life->began) {
      std::string since = fmt::format("since event {}", line.life->began->event);
      if (event.action != Action::annotate) since += ", lived " + span_text(*line.life->began, line.index, event);
      add_detail(details, since);
    }
    // Directly after its free_requested it adds no information.
    if (line.life && line.life->was_freed && line.index - line.life->was_freed->event > 1)
      add_detail(details, "waited " + span_text(*line.life->was_freed, line.index, event));
    for (const StringId text : {event.compile_context, event.user_metadata, event.internal_metadata})
      // PyTorch 2.8 writes N/A for code that is not compiled.
      if (!frames.text(text).empty() && frames.text(text) != "N/A")
        add_detail(details, elided(frames.text(text), kTextColumns));
    if (!details.empty()) out += "  [" + details + "]";
  }

  const Recording& recording_;
  const TraceOptions& options_;
  TextSink write_;
  StackLines stack_lines_;
  std::optional<std::int64_t> first_us_;
  std::optional<std::int64_t> above_us_;
  std::size_t index_columns_ = 5;
  bool is_begun_ = false;
};

} // namespace

std::unique_ptr<TraceLines> text_trace_lines(const Recording& recording, const TraceOptions& options, TextSink write) {
  return std::make_unique<TextLines>(recording, options, std::move(write));
}

} // namespace memviz
