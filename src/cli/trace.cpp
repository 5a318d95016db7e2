#include "memviz/trace.hpp"

#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/numbers.hpp"
#include "cli/sinks.hpp"
#include "cli/sizes.hpp"
#include "cli/trace_range.hpp"

#include <limits>
#include <string>

namespace memviz::cli {

namespace {

using ActionGroup = std::vector<Action>;

/// `free` and `segment` stand for several; `annotation` for what is no event.
ActionGroup actions_of(std::string_view word) {
  return chosen<ActionGroup>(
      "action", word,
      {{"alloc", {Action::alloc}},
       {"free", {Action::free_requested, Action::free_completed}},
       {"free_requested", {Action::free_requested}},
       {"free_completed", {Action::free_completed}},
       {"segment", {Action::segment_alloc, Action::segment_free, Action::segment_map, Action::segment_unmap}},
       {"segment_alloc", {Action::segment_alloc}},
       {"segment_free", {Action::segment_free}},
       {"segment_map", {Action::segment_map}},
       {"segment_unmap", {Action::segment_unmap}},
       {"oom", {Action::oom}},
       {"snapshot", {Action::snapshot}},
       {"other", {Action::other}},
       {"annotation", {}}});
}

/// 0x7f064c000000, 139655..., or a name: b7f064c000000_0.
TraceAddress address_of(const std::string& word) {
  constexpr int kHex = 16;
  const std::string_view text = word;
  if (text.starts_with("0x"))
    if (const auto address = whole_number<std::uint64_t>(text.substr(2), kHex)) return {*address, {}};
  if (const auto address = whole_number<std::uint64_t>(text)) return {*address, {}};
  const std::size_t mark = text.find('_');
  if ((text.starts_with('b') || text.starts_with('s')) && mark != std::string_view::npos) {
    const auto address = whole_number<std::uint64_t>(text.substr(1, mark - 1), kHex);
    const auto use = whole_number<std::uint64_t>(text.substr(mark + 1));
    if (address && use) return {*address, TraceAddress::Name{*use, text.starts_with('s')}};
  }
  throw UsageError(
      fmt::format("--address must be an address such as 0x7f064c000000 or the name of an allocation such as "
                  "b7f064c000000_0, not '{}'",
                  word));
}

void read_actions(const Arguments& arguments, TraceFilter& filter) {
  const auto list = arguments.value("action");
  if (!list) return;
  filter.annotations = false;
  std::string_view rest = *list;
  while (true) {
    const std::size_t comma = rest.find(',');
    const ActionGroup group = actions_of(rest.substr(0, comma));
    if (group.empty()) filter.annotations = true;
    filter.actions.insert(filter.actions.end(), group.begin(), group.end());
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  // Annotations only: no event has a size like this.
  if (filter.actions.empty()) filter.min_bytes = std::numeric_limits<std::uint64_t>::max();
}

TraceFilter filter_of(const Arguments& arguments) {
  TraceFilter filter;
  for (const std::string_view option : {"address", "stream", "min-size", "stack"})
    if (arguments.has(option)) filter.annotations = false;
  if (const auto size = arguments.value("min-size")) filter.min_bytes = parse_bytes("min-size", *size);
  read_actions(arguments, filter);
  if (const auto address = arguments.value("address")) filter.address = address_of(*address);
  if (const auto word = arguments.value("stream")) {
    filter.stream = whole_number<std::int64_t>(*word);
    if (!filter.stream) throw UsageError(fmt::format("--stream must be a number, not '{}'", *word));
  }
  filter.stack = arguments.value("stack").value_or("");
  filter.device = device_of(arguments);
  return filter;
}

TraceOptions trace_options_of(const Arguments& arguments) {
  TraceOptions options;
  options.format = chosen<TraceFormat>("format", arguments.value("format").value_or("text"),
                                       {{"text", TraceFormat::text}, {"ndjson", TraceFormat::ndjson}});
  options.time = chosen<TraceTime>("time", arguments.value("time").value_or("relative"),
                                   {{"relative", TraceTime::relative}, {"absolute", TraceTime::absolute}});
  options.stacks = arguments.has("stacks");
  options.filter = filter_of(arguments);
  return options;
}

/// Twice through the file, because names, annotations and the peak are known at its end only, and to keep millions of
/// events in between would take more time and memory.
int run_trace(const Arguments& arguments) {
  TraceOptions options = trace_options_of(arguments);
  const TraceEnds ends = trace_ends(arguments);
  const std::string path = arguments.value("output").value_or("-");
  check_output_file(arguments, path);

  const std::string& operand = arguments.operands().front();
  const std::string file = shown_name(operand, arguments);
  naming_file(file, [&] {
    Progress progress(picture_name(operand), arguments.has("quiet"));
    Input input = opened(operand, progress);
    Accounts accounts;
    TraceSurvey survey;
    BothSinks both(accounts, survey);
    const MemoryState state = accounts.state_of(decoded(input, &both, arguments, progress));
    const Recording& recording = *state.recording;
    check_device(file, recording, options.filter.device);
    if (!arguments.has("quiet")) say_warnings(file, state.all_warnings());
    options.filter.range = trace_ranges(ends, file, state, options.filter.device);

    // Whole or not there: what is too much is known before the first line is written.
    if (may_be_too_long(recording, survey, options)) {
      TraceLog counted(recording, survey, options, nullptr);
      static_cast<void>(decoded(input, &counted, arguments, progress));
      static_cast<void>(counted.finish());
    }
    PieceOutput output(arguments, path);
    TraceLog log(recording, survey, options, [&](std::string_view piece) { output.write(piece); });
    static_cast<void>(decoded(input, &log, arguments, progress));
    const std::uint64_t shown = log.finish();
    if (shown == 0 && (ends.from || ends.to) && !arguments.has("quiet"))
      say_message(file + ": no event that is asked for lies between --from and --to");
    if (options.format == TraceFormat::text && recording.devices().empty() && recording.annotations.empty())
      output.write("no segments and no events on any device\n");
    output.finish();
  });
  return kSuccess;
}

} // namespace

Command trace_command() {
  return {
      .name = "trace",
      .operands = "SNAPSHOT [options]",
      .operand_count = 1,
      .summary = "the events, one readable line each, filtered",
      .text =
          "Prints what the allocator did: when, to which allocation, how large, for which line of your own code. An "
          "allocation is named by its address and how often that address was used before: b7f064c000000_0; a segment "
          "begins with s. The lines of a free say when it was allocated and how long it lived. With --format ndjson "
          "each line is a JSON object: kind (event or annotation), device, event, time_us, action, name, address and "
          "stream (as text), size_bytes, pool, line, began_event, lived_events, lived_us, pending_events, pending_us, "
          "device_free_bytes, compile_context, user_metadata, frames (with --stacks).",
      .examples = "  memviz trace mem.pickle --min-size 100MiB | less -S\n"
                  "  memviz trace mem.pickle --from event:1000 --to oom --action alloc,free,oom\n"
                  "  memviz trace mem.pickle --address b7f064c000000_0 --stacks\n"
                  "  memviz trace mem.pickle --format ndjson | jq 'select(.lived_us > 1e6)'\n",
      .options =
          joined({{{"from", '\0', "MOMENT",
                    "begin there: event:N, time:US (microseconds since 1970), annotation:NAME (the K-th of that "
                    "name: NAME#K), oom or peak"},
                   {"to", '\0', "MOMENT", "end there, that event included"},
                   {"action", '\0', "LIST",
                    "only these, separated by commas: alloc, free (both halves), free_requested, free_completed, "
                    "segment (all four), segment_alloc, segment_free, segment_map, segment_unmap, oom, snapshot, "
                    "other, annotation"},
                   {"address", '\0', "A", "only what covers this address, or the allocation or segment of this name"},
                   {"stream", '\0', "N", "only this stream"},
                   {"min-size", '\0', "SIZE", "only events of at least this size, for example 1MiB"},
                   {"stack", '\0', "RE", "only events with a frame that matches this regular expression"},
                   {"stacks", '\0', "", "every frame, innermost first, not only your own line"},
                   {"time", '\0', "KIND", "relative: seconds since the first event (default); absolute: UTC"},
                   {"format", '\0', "FORMAT", "text (default) or ndjson"},
                   {"output", 'o', "FILE", "where it goes (default: standard output)"},
                   device_option()},
                  redact_options(),
                  general_options()}),
      .run = run_trace,
  };
}

} // namespace memviz::cli
