#include "export/causes_json.hpp"

#include "memviz/label.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

namespace {

/// Writes a line of the user's own code, or null.
void write_own_line(JsonWriter& json, std::string_view key, const FrameTable& frames,
                    const std::optional<FrameId>& line) {
  json.key(key);
  if (line)
    json.value(node_label(frames, *line));
  else
    json.value(nullptr);
}

std::optional<std::uint64_t> known(const StepEffect& effect, std::uint64_t figure) {
  return effect.is_known ? std::optional(figure) : std::nullopt;
}

} // namespace

void write_causes(JsonWriter& json, const FrameTable& frames, const CauseScope& scope, std::span<const Cause> causes) {
  json.begin_array();
  for (const Cause& cause : causes) {
    json.begin_object()
        .member("cause", cause_name(cause.kind))
        .member("bytes", cause.bytes)
        .member("has_request", cause.has_request)
        .member("falls_short", cause.without.missing_bytes > 0)
        .member("missing_bytes_without", known(cause.without, cause.without.missing_bytes))
        .member("batch_divisor", known(cause.without, cause.without.batch_divisor))
        .member("blocks", cause.blocks)
        .member("calls", cause.calls)
        .member("to_come_bytes", cause.to_come_bytes);
    write_own_line(json, "line", frames, cause.line.line);
    write_own_line(json, "call", frames, cause.line.call);
    write_own_line(json, "caller", frames, cause.line.caller);
    json.member("text", cause_text(frames, scope, cause)).end_object();
  }
  json.end_array();
}

} // namespace memviz
