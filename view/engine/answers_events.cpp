#include "engine/answers.hpp"

#include "base/json_writer.hpp"
#include "base/whole_number.hpp"
#include "memviz/error.hpp"
#include "memviz/flame.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/short_label.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace memviz::view {

namespace {

/// The words of a filter, all of which must match an event: an action ("alloc", "free"), ">1MiB", "stream:7", an
/// address or name, or a text in its frames.
class EventFilter {
public:
  EventFilter(const std::string& text, const Recording& recording) {
    constexpr std::ptrdiff_t kMostWords = 20; // each text is searched for in every frame
    if (std::count(text.begin(), text.end(), ' ') >= kMostWords)
      throw UsageError(fmt::format("a filter has at most {} words", kMostWords));
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      if (end > begin) add(text.substr(begin, end - begin), recording);
      begin = end + 1;
    }
  }

  [[nodiscard]] bool fits(const EventTable& events, std::uint32_t event) const {
    const std::string_view action = action_name(events.action(event));
    for (const std::string& word : actions_)
      if (!action.starts_with(word)) return false;
    if (events.size_bytes(event) < least_bytes_) return false;
    if (stream_ && events[event].stream != *stream_) return false;
    for (const Search& search : searches_)
      if (!search.has(events, event) && !search.has_address(events.address(event))) return false;
    return true;
  }

private:
  void add(const std::string& word, const Recording& recording) {
    const auto is_action = [&] {
      for (int action = 0; action <= static_cast<int>(Action::other); ++action)
        if (action_name(static_cast<Action>(action)).starts_with(word)) return true;
      return false;
    };
    if (word.starts_with('>'))
      least_bytes_ = parsed_bytes(word.substr(1));
    else if (word.starts_with(kStream))
      stream_ = parsed_stream(std::string_view(word).substr(kStream.size()));
    else if (word.size() > 1 && is_action())
      actions_.push_back(word);
    else
      searches_.emplace_back(word, recording);
  }

  static std::int64_t parsed_stream(std::string_view text) {
    const auto stream = whole_number<std::int64_t>(text);
    if (!stream) throw UsageError(fmt::format("stream:{} is not a number of a stream", text));
    return *stream;
  }

  static std::uint64_t parsed_bytes(const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str()) throw UsageError(fmt::format(">{} is not a size, such as >1MiB", text));
    const std::string_view unit = end;
    double factor = 1;
    if (unit.starts_with('K') || unit.starts_with('k')) factor = 1024;
    if (unit.starts_with('M') || unit.starts_with('m')) factor = 1024 * 1024;
    if (unit.starts_with('G') || unit.starts_with('g')) factor = 1024.0 * 1024 * 1024;
    const double bytes = number * factor;
    return bytes > 0 && bytes < static_cast<double>(kMaxTotalBytes) ? static_cast<std::uint64_t>(bytes) : 0;
  }

  static constexpr std::string_view kStream = "stream:";
  std::vector<std::string> actions_;
  std::vector<Search> searches_;
  std::uint64_t least_bytes_ = 0;
  std::optional<std::int64_t> stream_;
};

const std::vector<std::uint32_t>& filtered_events(PageFile& file, DeviceId device, const EventTable& events,
                                                  const std::string& filter) {
  if (file.filtered && file.filtered->filter == filter && file.filtered->device == device) return file.filtered->events;
  std::vector<std::uint32_t> left;
  const EventFilter wanted(filter, file.recording());
  for (std::uint32_t event = 0; event < events.size(); ++event)
    if (wanted.fits(events, event)) left.push_back(event);
  file.filtered = {filter, device, std::move(left)};
  return file.filtered->events;
}

void write_event(JsonWriter& json, PageFile& file, const DeviceRecord& record, const EventTable& events,
                 std::uint32_t event) {
  const FrameTable& frames = file.recording().frames;
  const Event row = events[event];
  const bool is_other = row.action == Action::other;
  json.begin_object().member("event", event);
  json.member("action", is_other ? one_line(frames.text(row.action_text)) : std::string(action_name(row.action)));
  // An out-of-memory error has the free bytes of the device as its address.
  json.member("address",
              row.action == Action::oom ? format_bytes(row.address) + " free" : fmt::format("0x{:x}", row.address));
  json.member("bytes", row.size_bytes);
  json.member("stream", std::to_string(row.stream));
  if (!record.times_us().empty()) json.member("us", axis_position(record, TimelineAxis::time, event + 1));
  const bool has_stack = !frames.stack(row.stack).empty();
  json.member("line", has_stack ? one_line(node_label(frames, user_line_of(frames, row.stack))) : std::string());
  json.end_object();
}

} // namespace

std::string events_of(Engine& engine, const PageRequest& request) {
  constexpr std::size_t kMostEvents = 1000;
  PageFile& file = engine.file(request);
  const DeviceRecord& record = file.walk(request.device()).record();
  const DeviceId device = record.device;
  const EventTable& events = file.recording().events_of(device);
  const std::string filter = request.text("filter");
  const std::vector<std::uint32_t>* const left =
      filter.empty() ? nullptr : &filtered_events(file, device, events, filter);
  const std::size_t all = left != nullptr ? left->size() : events.size();
  const std::size_t from = request.count("from", 0, all);
  const std::size_t count = request.count("count", 100, std::min(kMostEvents, all - from));
  std::string out;
  JsonWriter json(out, JsonLayout::compact);
  json.begin_object().member("all", all).member("from", from);
  // Returns the position of the event that a state follows, among those that match.
  const auto state = static_cast<std::uint32_t>(request.number("state", 0, record.events));
  const std::uint32_t event = state == 0 ? 0 : state - 1;
  json.member("place", left != nullptr ? static_cast<std::size_t>(std::lower_bound(left->begin(), left->end(), event) -
                                                                  left->begin())
                                       : event);
  json.key("rows").begin_array();
  for (std::size_t i = from; i < from + count; ++i)
    write_event(json, file, record, events, left != nullptr ? (*left)[i] : static_cast<std::uint32_t>(i));
  json.end_array().end_object();
  return out;
}

} // namespace memviz::view
