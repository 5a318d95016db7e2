#include "engine/lit.hpp"

#include "engine/streams.hpp"

#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "story/short_label.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace memviz::view {

namespace {

using IsLit = std::function<bool(std::uint32_t index)>;

std::string words_of(const Label& label) {
  return label.place.empty() ? label.name : label.name + ' ' + label.place;
}

IsLit of_line(const FrameTable& frames, const Walk& walk, const std::string& wanted) {
  const LinesOfLives& lines = walk.lines_of_lives();
  std::vector<bool> is_lit;
  for (const NodeKey& key : lines.keys)
    is_lit.push_back(words_of(line_label(frames, key)) == wanted);
  return [&lines, is_lit = std::move(is_lit)](std::uint32_t index) { return is_lit[lines.of_life[index]]; };
}

/// Decides for each stack once.
IsLit of_stacks(const FrameTable& frames, const Walk& walk, const std::function<bool(StackId)>& is_lit_stack) {
  std::vector<bool> is_lit;
  for (std::uint32_t stack = 0; stack < frames.stack_count(); ++stack)
    is_lit.push_back(is_lit_stack(StackId{stack}));
  return [&walk, is_lit = std::move(is_lit)](std::uint32_t index) {
    const StackId stack = walk.scrub().life(index).stack;
    return stack.value < is_lit.size() && is_lit[stack.value];
  };
}

bool has_function(const FrameTable& frames, StackId stack, FrameId wanted) {
  const Frame& function = frames.frame(wanted);
  const auto& own = frames.stack(stack);
  return std::any_of(own.begin(), own.end(), [&](FrameId frame) {
    return frames.frame(frame).name == function.name && frames.frame(frame).filename == function.filename;
  });
}

bool has_frame(const FrameTable& frames, StackId stack, std::string_view wanted) {
  const auto& own = frames.stack(stack);
  return std::any_of(own.begin(), own.end(),
                     [&](FrameId frame) { return words_of(frame_label(frames, frame)) == wanted; });
}

/// Whether the shown frames of a stack begin, outermost first, with `lines`.
bool begins_with(const FrameTable& frames, StackId stack, std::string_view lines) {
  const auto& own = frames.stack(stack);
  for (auto frame = own.rbegin(); frame != own.rend(); ++frame) {
    if (!is_in_graphs(frames, *frame)) continue;
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (words_of(frame_label(frames, *frame)) != lines.substr(0, end)) return false;
    if (end == lines.size()) return true;
    lines.remove_prefix(end + 1);
  }
  return false;
}

/// Keeps those of a stream: a flame graph has a box for each stack of each stream.
IsLit within_stream(const PageFile& file, const Walk& walk, const std::string& stream, IsLit is_lit) {
  if (stream.empty()) return is_lit;
  return [&walk, stream, streams = Streams(file.end(), walk.record()), is_lit = std::move(is_lit)](
             std::uint32_t index) { return is_lit(index) && streams.of(walk.scrub().life(index)) == stream; };
}

IsLit lit_by(const PageFile& file, const Walk& walk, const PageRequest& request) {
  const FrameTable& frames = file.recording().frames;
  const std::string of = request.text("of");
  const std::string name = request.text("name");
  if (of == "line") return of_line(frames, walk, words_of({.name = name, .place = request.text("place")}));
  if (of == "kind")
    return [&walk, name](std::uint32_t index) { return kind_label(walk.scrub().kind(index).kind) == name; };
  if (of == "class") {
    const Classes& classes = walk.classes(request.text("by"));
    return
        [&classes, own = request.count("class", 0, 255)](std::uint32_t index) { return classes.of_life[index] == own; };
  }
  if (of == "function" && frames.frame_count() > 0) {
    const FrameId wanted{static_cast<std::uint32_t>(request.number("frame", 0, frames.frame_count() - 1))};
    return of_stacks(frames, walk, [&frames, wanted](StackId stack) { return has_function(frames, stack, wanted); });
  }
  if (of == "frame")
    return of_stacks(frames, walk, [&frames, &name](StackId stack) { return has_frame(frames, stack, name); });
  if (of == "stack")
    return of_stacks(frames, walk, [&frames, lines = request.text("frames")](StackId stack) {
      return begins_with(frames, stack, lines);
    });
  return [](std::uint32_t) { return false; };
}

} // namespace

bool is_in_graphs(const FrameTable& frames, FrameId frame) {
  const std::string_view name = frames.name(frame);
  const std::string_view filename = frames.filename(frame);
  return !is_omitted(name, filename) && !is_interpreter(name, filename);
}

std::vector<bool> lit_lives(const PageFile& file, const Walk& walk, const PageRequest& request) {
  const IsLit is_lit = within_stream(file, walk, request.text("stream"), lit_by(file, walk, request));
  std::vector<bool> lit(walk.scrub().size());
  for (std::uint32_t index = 0; index < lit.size(); ++index)
    lit[index] = is_lit(index);
  return lit;
}

} // namespace memviz::view
