#include "answers/choice.hpp"
#include "answers/scope_options.hpp"
#include "answers/sizes.hpp"
#include "base/whole_number.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/warnings.hpp"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

namespace {

using ActionGroup = std::vector<Action>;

/// `free` and `segment` stand for several actions; `annotation` for entries that are not events.
Choices<ActionGroup> action_choices() {
  return {{"alloc", {Action::alloc}},
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
          {"annotate", {Action::annotate}},
          {"other", {Action::other}},
          {"annotation", {}}};
}

/// Parses 0x7f064c000000, 139655..., or a name: b7f064c000000_0.
TraceAddress parse_address(std::string_view option, const std::string& word) {
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
  throw UsageError(fmt::format("--{} must be an address such as 0x7f064c000000 or the name of an allocation such as "
                               "b7f064c000000_0, not '{}'",
                               option, word));
}

/// Parses the list of --action.
struct Chosen {
  ActionGroup actions;
  bool annotations = false;
};

Chosen parse_actions(std::string_view /*option*/, const std::string& word) {
  Chosen wanted;
  std::string_view rest = word;
  while (true) {
    const std::size_t comma = rest.find(',');
    const auto group = chosen<ActionGroup>("action", rest.substr(0, comma), action_choices());
    if (group.empty()) wanted.annotations = true;
    wanted.actions.insert(wanted.actions.end(), group.begin(), group.end());
    if (comma == std::string_view::npos) return wanted;
    rest.remove_prefix(comma + 1);
  }
}

std::int64_t parse_stream(std::string_view option, const std::string& word) {
  const auto stream = whole_number<std::int64_t>(word);
  if (stream) return *stream;
  throw UsageError(fmt::format("--{} must be a number, not '{}'", option, word));
}

struct TraceCommand : CommandOptions {
  TraceEnds ends;
  std::optional<Chosen> actions;
  std::optional<TraceAddress> address;
  std::optional<std::int64_t> stream;
  std::optional<std::uint64_t> min_bytes;
  std::optional<std::string> stack;
  TraceOptions log;                  ///< without its filter
  std::optional<std::string> output; ///< nullopt: standard output
  std::optional<std::string> json;

  [[nodiscard]] std::string target() const { return json ? *json : output.value_or("-"); }
  std::optional<DeviceId> device;
};

OptionList<TraceCommand> trace_options() {
  const std::vector<std::string_view> moments{"event:", "time:", "annotation:", "oom", "peak"};
  const OptionList<TraceEnds> ends{
      parsed(with_words({"from", '\0', "MOMENT",
                         "begin there: event:N, time:US (microseconds since 1970), annotation:NAME (the K-th of that "
                         "name: NAME#K), oom or peak"},
                        moments),
             &TraceEnds::from, parse_moment),
      parsed(with_words({"to", '\0', "MOMENT", "end there, that event included"}, moments), &TraceEnds::to,
             parse_moment),
  };
  const OptionList<TraceCommand> filter{
      parsed(list_of({"action", '\0', "LIST",
                      "only these, separated by commas: alloc, free (both halves), free_requested, free_completed, "
                      "segment (all four), segment_alloc, segment_free, segment_map, segment_unmap, oom, snapshot, "
                      "annotate (what is said of an allocation), other, annotation"},
                     words_of(action_choices())),
             &TraceCommand::actions, parse_actions),
      parsed({"address", '\0', "A", "only events that cover this address, or the allocation or segment of this name"},
             &TraceCommand::address, parse_address),
      rare(parsed({"stream", '\0', "N", "only this stream"}, &TraceCommand::stream, parse_stream)),
      parsed({"min-size", '\0', "SIZE", "only events of at least this size, for example 1MiB"},
             &TraceCommand::min_bytes, parse_bytes),
      verbatim({"stack", '\0', "RE", "only events with a frame that matches this regular expression"},
               &TraceCommand::stack),
  };
  const OptionList<TraceOptions> log{
      flag({"stacks", '\0', "", "every frame, innermost first, not only your own line"}, &TraceOptions::stacks),
      rare(one_of<TraceOptions, TraceTime, TraceTime>(
          {"time", '\0', "KIND", "relative: seconds since the first event (default); absolute: UTC"},
          &TraceOptions::time, {{"relative", TraceTime::relative}, {"absolute", TraceTime::absolute}})),
      one_of<TraceOptions, TraceFormat, TraceFormat>({"format", '\0', "FORMAT", "text (default) or ndjson"},
                                                     &TraceOptions::format,
                                                     {{"text", TraceFormat::text}, {"ndjson", TraceFormat::ndjson}}),
  };
  return joined<TraceCommand>(
      {within<TraceCommand>(&TraceCommand::ends, ends),
       filter,
       within<TraceCommand>(&TraceCommand::log, log),
       {verbatim({"output", 'o', "FILE", "the output (default: standard output)"}, &TraceCommand::output),
        json_option(&TraceCommand::json, "instead of the text: the lines of ndjson as one document, with a header"),
        parsed(device_text(), &TraceCommand::device, parse_device)},
       snapshot_options<TraceCommand>()});
}

TraceFilter filter_of(const TraceCommand& options) {
  TraceFilter filter;
  filter.annotations = !options.address && !options.stream && !options.min_bytes && !options.stack;
  filter.address = options.address;
  filter.stream = options.stream;
  filter.min_bytes = options.min_bytes.value_or(0);
  filter.stack = options.stack.value_or("");
  filter.device = options.device;
  if (!options.actions) return filter;
  filter.actions = options.actions->actions;
  filter.annotations = options.actions->annotations;
  // Selects annotations only: no event has a size like this.
  if (filter.actions.empty()) filter.min_bytes = std::numeric_limits<std::uint64_t>::max();
  return filter;
}

TraceQuestion question_of(const TraceCommand& options) {
  TraceQuestion question{options.ends, options.log};
  if (options.json) question.log.format = TraceFormat::document;
  question.log.filter = filter_of(options);
  return question;
}

void write_log(Session& session, const TraceAnswer& answer, const TraceCommand& options) {
  const Recording& recording = *answer.loaded.state.recording;
  PieceOutput output(options.file, options.target());
  const std::uint64_t shown = write_trace(answer, session, [&](std::string_view piece) { output.write(piece); });
  if (shown == 0 && (options.ends.from || options.ends.to))
    options.file.advise(answer.loaded.name + ": no requested event is between --from and --to");
  if (answer.question.log.format == TraceFormat::text && recording.devices().empty() && recording.annotations.empty())
    output.write("no segments and no events on any device\n");
  output.finish();
}

int run_trace(const TraceCommand& options) {
  if (options.json && (options.output || options.log.format != TraceFormat::text))
    throw UsageError("--json writes a different document: omit -o and --format");
  check_outputs(options, {{"-o", options.output}, {"--json", options.json}});
  naming_file(shown_name(options.operands.front(), options.file), [&] {
    SnapshotFile file(options.operands.front(), options.file);
    const TraceAnswer answer = trace_answer(question_of(options), file.session());
    say_warnings(options.file, answer.loaded.name, warnings_of(answer.loaded.state));
    write_log(file.session(), answer, options);
  });
  return kSuccess;
}

} // namespace

Command trace_command() {
  const CommandText text{
      .name = "trace",
      .operands = "SNAPSHOT [options]",
      .operand_count = 1,
      .summary = "the events as readable lines, filtered",
      .text =
          "Prints the actions of the allocator: the time, the allocation, its size, and the line of your own code. An "
          "allocation is named by its address and how often that address was used before: b7f064c000000_0; a segment "
          "begins with s. The line of a free shows when the memory was allocated and how long it lived. With --format "
          "ndjson each line is a JSON object: kind (event or annotation), device, event, time_us, action, name, "
          "address and stream (as text), size_bytes, pool, line, began_event, lived_events, lived_us, pending_events, "
          "pending_us, device_free_bytes, compile_context, user_metadata, frames (with --stacks).",
      .examples = "  memviz trace mem.pickle --min-size 100MiB | less -S\n"
                  "  memviz trace mem.pickle --from event:1000 --to oom --action alloc,free,oom\n"
                  "  memviz trace mem.pickle --address b7f064c000000_0 --stacks\n"
                  "  memviz trace mem.pickle --format ndjson | jq 'select(.lived_us > 1e6)'\n",
  };
  return command(text, trace_options(), run_trace);
}

} // namespace memviz::cli
