#include "export/device_text.hpp"

#include "base/first_of.hpp"
#include "base/printable.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/places.hpp"
#include "story/accounts.hpp"
#include "story/moment_words.hpp"
#include "story/perfect_allocator_words.hpp"

#include <fmt/format.h>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostPools = 20;

std::string totals(const DeviceState& device_state) {
  TextTable table{Align::left, Align::right, Align::right, Align::right};
  const auto add = [&](const std::string& name, std::uint64_t bytes) {
    table.add_row({name, format_bytes(bytes), format_count(bytes) + " B",
                   format_percent(bytes, device_state.figures.reserved_bytes)});
  };
  add("reserved", device_state.figures.reserved_bytes);
  add("  in use (active_allocated)", device_state.figures.allocated_bytes);
  add("  awaiting free (active_pending_free)", device_state.figures.pending_free_bytes);
  add("  free (inactive)", device_state.figures.inactive_bytes);
  if (device_state.figures.unaccounted_bytes > 0) add("  unaccounted", device_state.figures.unaccounted_bytes);
  add("requested", device_state.figures.requested_bytes);
  if (device_state.figures.outside_bytes > 0) add("  outside all segments", device_state.figures.outside_bytes);
  add("rounding", device_state.figures.rounding_bytes());
  return table.text("  ");
}

/// Returns "" if the device has one pool and one stream, because the totals say everything.
std::string pools_and_streams(const MemoryState& state, DeviceId device) {
  const std::vector<Place> places = places_of(state, device);
  if (places.size() < 2) return "";

  TextTable table{Align::left, Align::right, Align::right, Align::right, Align::right, Align::right};
  table.add_row({"pool and stream", "segments", "reserved", "in use", "awaiting free", "free"});
  const auto shown = first_of(places, kMostPools);
  for (const Place& place : shown) {
    const std::string pool = node_label(state.frames(), place.pool);
    table.add_row({elided(fmt::format("{}, stream {}", pool, place.stream), 40), format_count(place.totals.segments),
                   format_bytes(place.totals.reserved_bytes), format_bytes(place.totals.allocated_bytes),
                   format_bytes(place.totals.pending_free_bytes), format_bytes(place.totals.inactive_bytes)});
  }
  return "\n" + table.text("  ", places.size() - shown.size());
}

std::string event_text(EventIndex event) {
  return event.is_none() ? "before the first event" : "after event " + format_count(event.value());
}

/// Returns the requested bytes over the recording, as a sum that a person can check.
std::string accounts(const DeviceState& device_state) {
  if (device_state.figures.events == 0) return "  no events: the history was not recorded, or nothing was allocated\n";
  TextTable table{Align::left, Align::right, Align::right, Align::left};
  const auto add = [&](const std::string& name, std::uint64_t bytes, const std::string& note) {
    table.add_row({name, format_bytes(bytes), format_count(bytes) + " B", note});
  };
  const std::string unmatched = device_state.figures.unmatched_frees == 0
                                    ? ""
                                    : "without a recorded alloc: " + format_count(device_state.figures.unmatched_frees);
  add(fmt::format("  alive {}", baseline_text(device_state.figures)), device_state.figures.baseline_bytes, "");
  add("+ allocated", device_state.figures.alloc_bytes, "allocs: " + format_count(device_state.figures.allocs));
  add("- freed", device_state.figures.free_bytes, unmatched);
  add("= alive at the end", device_state.figures.end_requested_bytes, balance_cell(device_state.figures));
  add("  peak", device_state.figures.peak_requested_bytes, event_text(device_state.peak_event));
  std::string text = fmt::format("  requested bytes over {}\n", format_counted(device_state.figures.events, "event")) +
                     table.text("  ");
  if (const auto perfect = perfect_allocator(device_state))
    text += fmt::format("  {}\n", perfect_allocator_text(*perfect));
  if (device_state.figures.ooms > 0) {
    text += fmt::format("  out of memory: {}, the last at event {}\n", format_count(device_state.figures.ooms),
                        format_count(device_state.last_oom_event.value()));
  }
  return text;
}

} // namespace

std::string device_text(const MemoryState& state, const DeviceState& device_state) {
  const std::string moment = device_state.moment.is_end() ? "" : ' ' + printable(moment_text(device_state));
  return fmt::format("\n{}{} (segments: {}, blocks: {})\n", device_heading(device_state), moment,
                     format_count(device_state.figures.segments), format_count(device_state.figures.blocks)) +
         totals(device_state) + pools_and_streams(state, device_state.device) + "\n" + accounts(device_state);
}

} // namespace memviz
