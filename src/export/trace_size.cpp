#include "export/trace_size.hpp"

#include "base/saturating.hpp"

#include <algorithm>

namespace memviz {

TraceSize::TraceSize(const Recording& recording, TraceLines& lines, bool has_stacks)
    : frames_(recording.frames), lines_(lines), has_stacks_(has_stacks),
      limit_(recording.origin.size_bytes,
             has_stacks ? "without --stacks, or with --from and --to, it is less" : "--from and --to make less") {
}

std::uint64_t TraceSize::frame_bytes(FrameId frame) {
  if (frame_bytes_.empty()) frame_bytes_.resize(frames_.frame_count());
  std::uint64_t& bytes = frame_bytes_[frame.value];
  if (bytes == 0) {
    constexpr std::size_t kSeparator = 2;
    std::string text;
    lines_.add(text, frame);
    bytes = text.size() + kSeparator;
  }
  return bytes;
}

std::uint64_t TraceSize::stack_bytes(StackId stack) {
  if (!has_stacks_) return 0;
  if (stack_bytes_.empty()) stack_bytes_.resize(frames_.stack_count());
  std::optional<std::uint64_t>& bytes = stack_bytes_[stack.value];
  if (!bytes) {
    bytes = 0;
    for (const FrameId frame : frames_.stack(stack))
      *bytes += frame_bytes(frame);
  }
  return *bytes;
}

namespace {

/// A text in a line, at most: JSON writes a control character as six.
std::uint64_t text_bytes(std::string_view text) {
  constexpr std::uint64_t kEscaped = 6;
  return kEscaped * bounded(text).size();
}

std::uint64_t annotation_bytes(const Recording& recording) {
  constexpr std::uint64_t kLine = 256;
  std::uint64_t bytes = 0;
  for (const Annotation& annotation : recording.annotations) {
    bytes += kLine + text_bytes(recording.frames.text(annotation.name)) +
             text_bytes(recording.frames.text(annotation.stage));
    for (const auto& [key, value] : annotation.metadata)
      bytes += text_bytes(recording.frames.text(key)) + text_bytes(recording.frames.text(value));
  }
  return bytes;
}

} // namespace

bool may_be_too_long(const Recording& recording, const TraceSurvey& survey, const TraceOptions& options) {
  constexpr std::uint64_t kLine = 512; // of an event, but for what the file spells
  const FrameTable& frames = recording.frames;
  const auto lines =
      options.format == TraceFormat::text ? text_trace_lines(recording, options) : json_trace_lines(recording, options);
  TraceSize size(recording, *lines, options.stacks);
  StackLines stack_lines(frames);
  std::uint64_t bytes = annotation_bytes(recording);
  const TraceSurvey::Uses& uses = survey.uses();
  for (std::uint32_t id = 0; id < std::min(uses.stacks.size(), frames.stack_count()); ++id) {
    if (uses.stacks[id] == 0) continue;
    const std::uint64_t line_bytes = kLine + text_bytes(stack_lines.line({id})) + size.stack_bytes({id});
    bytes = saturating_sum(bytes, saturating_product(uses.stacks[id], line_bytes));
  }
  for (std::uint32_t id = 0; id < std::min(uses.texts.size(), frames.string_count()); ++id)
    bytes = saturating_sum(bytes, saturating_product(uses.texts[id], text_bytes(frames.text({id}))));
  return bytes > size.most_bytes();
}

} // namespace memviz
