#include "engine/answers.hpp"

#include "base/json_writer.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "story/short_label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace memviz::view {

namespace {

constexpr std::size_t kMostFrames = 1000; ///< that are written of one stack
constexpr std::size_t kMostTextColumns = 1000;

std::string_view origin_word(CodeOrigin origin) {
  switch (origin) {
  case CodeOrigin::user: return "user";
  case CodeOrigin::torch: return "torch";
  case CodeOrigin::library: return "library";
  case CodeOrigin::cpp: return "cpp";
  }
  return "cpp";
}

/// Writes all frames, innermost first, also those that trees omit.
void write_whole_stack(JsonWriter& json, const FrameTable& frames, StackId stack) {
  json.begin_array();
  const auto all = frames.stack(stack);
  for (const FrameId frame : all.first(std::min(all.size(), kMostFrames))) {
    const Label label = frame_label(frames, frame);
    json.begin_object()
        .member("name", label.name)
        .member("place", label.place)
        .member("file", one_line(frames.filename(frame), kMostTextColumns))
        .member("origin", origin_word(origin_of(frames.filename(frame))))
        .end_object();
  }
  json.end_array();
}

bool is_of_allocation(Action action) {
  return action == Action::alloc || action == Action::free_requested || action == Action::free_completed ||
         action == Action::annotate;
}

bool is_of_segment(Action action) {
  return action == Action::segment_alloc || action == Action::segment_free || action == Action::segment_map ||
         action == Action::segment_unmap;
}

/// Writes what the card of an event shows.
class EventCard {
public:
  EventCard(const PageFile& file, const Walk& walk, std::uint32_t event)
      : frames_(file.recording().frames), walk_(walk), record_(walk.record()), scrub_(walk.scrub()),
        events_(file.recording().events_of(record_.device)), memory_(file.end()), event_(event), row_(events_[event]) {}

  [[nodiscard]] std::string json() const {
    std::string out;
    JsonWriter json(out, JsonLayout::compact);
    json.begin_object().member("event", event_).member("action", action_word(row_)).member("bytes", row_.size_bytes);
    if (!record_.times_us().empty()) json.member("us", axis_position(record_, TimelineAxis::time, event_ + 1));
    if (row_.time_us) json.member("time_us", *row_.time_us);
    json.member("live_bytes", walk_.live_bytes(event_ + 1)).member("reserved_bytes", walk_.reserved_bytes(event_ + 1));
    json.member("stream", std::to_string(row_.stream));
    const std::optional<std::uint32_t> life = this->life();
    write_place(json, life);
    write_texts(json);
    write_stack(json, row_.stack);
    write_whole_stack(json.key("forward"), frames_, row_.forward_stack);
    if (is_of_allocation(row_.action) && life) write_other_ends(json, *life);
    json.end_object();
    return out;
  }

private:
  [[nodiscard]] std::string action_word(const Event& row) const {
    return row.action == Action::other ? one_line(frames_.text(row.action_text)) : std::string(action_name(row.action));
  }

  /// Returns the allocation that an event is about: an alloc's begins with it, others are live before it.
  [[nodiscard]] std::optional<std::uint32_t> life() const {
    if (!is_of_allocation(row_.action)) return std::nullopt;
    return scrub_.living_at(row_.address, row_.action == Action::alloc ? event_ + 1 : event_);
  }

  void write_place(JsonWriter& json, std::optional<std::uint32_t> life) const {
    // An out-of-memory error has the free bytes of the device as its address.
    if (row_.action == Action::oom) {
      json.member("free_bytes", row_.address);
      return;
    }
    if (is_of_allocation(row_.action) || is_of_segment(row_.action))
      json.member("address", fmt::format("0x{:x}", row_.address));
    if (life) {
      json.member("life", *life);
      json.member("name", fmt::format("b{:x}_{}", row_.address, scrub_.earlier_uses(*life)));
    }
    const Life* const range = is_of_allocation(row_.action) ? range_at() : nullptr;
    if (range != nullptr)
      json.key("segment")
          .begin_object()
          .member("address", fmt::format("0x{:x}", range->address))
          .member("bytes", range->size_bytes)
          .end_object();
    if (const std::optional<PoolId> pool = this->pool(life); pool && pool->is_private())
      json.member("pool", fmt::format("({},{})", pool->first, pool->second));
  }

  /// Returns the mapped memory that contains the event's address.
  [[nodiscard]] const Life* range_at() const {
    const auto found = std::find_if(record_.ranges.begin(), record_.ranges.end(), [&](const Life& range) {
      return range.lives_in(event_) && range.address <= row_.address && row_.address - range.address < range.size_bytes;
    });
    return found == record_.ranges.end() ? nullptr : &*found;
  }

  /// Returns the pool in the event, else that of its allocation, else that of its segment at the end.
  [[nodiscard]] std::optional<PoolId> pool(std::optional<std::uint32_t> life) const {
    if (row_.pool) return row_.pool;
    if (life) {
      const std::uint32_t home = scrub_.life(*life).home;
      if (home < record_.homes.size() && record_.homes[home].pool) return record_.homes[home].pool;
    }
    for (const Segment& segment : memory_.segments)
      if (segment.device == record_.device && segment.address <= row_.address &&
          row_.address - segment.address < segment.total_bytes)
        return segment.pool;
    return std::nullopt;
  }

  /// Writes each text of the event once, with the key that it has in the file; "N/A" is PyTorch's word for none.
  void write_texts(JsonWriter& json) const {
    std::set<StringId> written;
    json.key("texts").begin_array();
    const auto write = [&](std::string_view name, StringId text) {
      if (text == kEmptyString || frames_.text(text) == "N/A" || !written.insert(text).second) return;
      json.begin_object().member("name", name).member("text", one_line(frames_.text(text), kMostTextColumns));
      json.end_object();
    };
    write("user metadata", row_.user_metadata);
    write("internal metadata", row_.internal_metadata);
    write("compile context", row_.compile_context);
    json.end_array();
  }

  /// Writes a stack and the line of the user's code in it.
  void write_stack(JsonWriter& json, StackId stack) const {
    const NodeKey key = user_line_of(frames_, stack);
    json.member("line", is_frame(key) ? one_line(node_label(frames_, key)) : std::string());
    write_whole_stack(json.key("stack"), frames_, stack);
  }

  void write_end(JsonWriter& json, std::string_view name, std::uint32_t event) const {
    json.key(name).begin_object().member("event", event).member("action", action_word(events_[event]));
    write_stack(json, events_.stack(event));
    json.end_object();
  }

  /// Writes the events that allocated and freed the allocation, except this one.
  void write_other_ends(JsonWriter& json, std::uint32_t index) const {
    const Life& life = scrub_.life(index);
    if (life.begin > 0 && life.begin - 1 != event_) write_end(json, "allocated", life.begin - 1);
    if (life.end == kForever || life.end == 0 || life.end > record_.events) return;
    const std::uint32_t completed = life.end - 1;
    const std::uint32_t requested = free_request(life, completed);
    if (requested != event_ && requested != completed) write_end(json, "free_requested", requested);
    if (completed != event_) write_end(json, "freed", completed);
  }

  /// Returns the event in which the program asked to free an allocation; `completed` if there is none near it. PyTorch
  /// writes both together, unless another stream still used the memory.
  [[nodiscard]] std::uint32_t free_request(const Life& life, std::uint32_t completed) const {
    constexpr std::uint32_t kMostBetween = 100'000;
    const std::uint32_t first = std::max(life.begin, completed - std::min(completed, kMostBetween));
    for (std::uint32_t event = completed; event > first; --event)
      if (events_.address(event - 1) == life.address && events_.action(event - 1) == Action::free_requested)
        return event - 1;
    return completed;
  }

  const FrameTable& frames_;
  const Walk& walk_;
  const DeviceRecord& record_;
  const Scrub& scrub_;
  const EventTable& events_;
  const MemoryMap& memory_;
  std::uint32_t event_;
  Event row_;
};

} // namespace

std::string event_of(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  const Walk& walk = file.walk(request.device());
  const std::uint32_t events = walk.record().events;
  if (events == 0) return "null";
  return EventCard(file, walk, static_cast<std::uint32_t>(request.number("event", 0, events - 1))).json();
}

} // namespace memviz::view
