#include "page/naming.hpp"

#include "base/printable.hpp"
#include "memviz/flame.hpp"
#include "memviz/format.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

/// Names come from a stranger: one of a megabyte must not fill the picture.
constexpr std::size_t kLongestName = 200;

std::string one_line(std::string_view text, std::size_t columns = kLongestName) {
  return safe_line(cut_end(text.substr(0, 4 * columns + 4), columns));
}

std::string label_name(std::string_view name) {
  return one_line(short_function(name));
}

/// What a label can show of a file: the end.
std::string label_file(std::string_view filename) {
  constexpr std::size_t kMostBytes = 4 * kLongestName + 4;
  const std::string_view file = known_basename(filename);
  return std::string(file.substr(file.size() - std::min(file.size(), kMostBytes)));
}

/// Of a long place the end is kept: the line is what a reader goes to.
Label label_of(const std::string& name, const std::string& file, std::int64_t line) {
  std::string place = file.empty() || !is_line(line) ? file : fmt::format("{}:{}", file, line);
  place = safe_line(cut_start(place, kLongestName));
  if (!name.empty()) return {.name = name, .place = std::move(place)};
  return {.name = place.empty() ? std::string("?") : std::move(place)};
}

const Paint& paint_of(Pseudo pseudo) {
  switch (pseudo) {
  case Pseudo::gaps: return paint::kRounding;
  case Pseudo::unaccounted:
  case Pseudo::outside: return paint::kUnaccounted;
  case Pseudo::not_focused: return paint::kFree;
  case Pseudo::history_off:
  case Pseudo::before_recording:
  case Pseudo::lost_or_before:
  case Pseudo::without_stack:
  case Pseudo::only_counted:
  case Pseudo::filtered: break;
  }
  return paint::kNoStack;
}

} // namespace

std::vector<CodeOrigin> origins_of(const FrameTable& frames) {
  std::vector<std::optional<CodeOrigin>> by_file(frames.string_count());
  std::vector<CodeOrigin> origins;
  origins.reserve(frames.frame_count());
  for (std::uint32_t i = 0; i < frames.frame_count(); ++i) {
    const StringId file = frames.frame({i}).filename;
    std::optional<CodeOrigin>& origin = by_file[file.value];
    if (!origin) origin = origin_of(frames.text(file));
    origins.push_back(*origin);
  }
  return origins;
}

const Paint& paint_of(CodeOrigin origin) {
  switch (origin) {
  case CodeOrigin::user: return paint::kUser;
  case CodeOrigin::torch: return paint::kTorch;
  case CodeOrigin::library: return paint::kLibrary;
  case CodeOrigin::cpp: break;
  }
  return paint::kCpp;
}

std::string_view origin_name(CodeOrigin origin) {
  switch (origin) {
  case CodeOrigin::user: return "your code";
  case CodeOrigin::torch: return "torch";
  case CodeOrigin::library: return "other Python";
  case CodeOrigin::cpp: break;
  }
  return "C++";
}

Label FrameLabels::of(FrameId frame_id) {
  const Frame& frame = frames_.frame(frame_id);
  std::optional<std::string>& name = names_[frame.name.value];
  if (!name) name = label_name(frames_.text(frame.name));
  std::optional<std::string>& file = files_[frame.filename.value];
  if (!file) file = label_file(frames_.text(frame.filename));
  return label_of(*name, *file, frame.line);
}

Label frame_label(const FrameTable& frames, FrameId frame) {
  return label_of(label_name(frames.name(frame)), label_file(frames.filename(frame)), frames.frame(frame).line);
}

std::string frame_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins, FrameId frame,
                          std::size_t columns) {
  const std::int64_t line = frames.frame(frame).line;
  return fmt::format("{}\n{}{} ({})", one_line(frames.name(frame), columns), one_line(frames.filename(frame), columns),
                     !is_line(line) ? "" : fmt::format(":{}", line), origin_name(origins[frame.value]));
}

Label key_label(const FrameTable& frames, const NodeKey& key) {
  if (key.kind == NodeKind::frame) return frame_label(frames, key.frame());
  return {.name = one_line(node_label(frames, key))};
}

std::vector<Label> key_labels(const FrameTable& frames, const std::vector<NodeKey>& keys) {
  const std::vector<std::string> places = places_apart(frames, keys);
  std::vector<Label> labels;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    labels.push_back(key_label(frames, keys[i]));
    if (!labels.back().place.empty()) labels.back().place = safe_line(cut_start(places[i], kLongestName));
  }
  return labels;
}

Label line_label(const FrameTable& frames, const NodeKey& key) {
  Label label = key_label(frames, key);
  label.note = not_own_text(frames, key);
  return label;
}

std::vector<Label> line_labels(const FrameTable& frames, const std::vector<NodeKey>& keys) {
  std::vector<Label> labels = key_labels(frames, keys);
  for (std::size_t i = 0; i < keys.size(); ++i)
    labels[i].note = not_own_text(frames, keys[i]);
  return labels;
}

std::string key_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const NodeKey& key) {
  if (key.kind == NodeKind::frame) return frame_heading(frames, origins, key.frame());
  return one_line(node_label(frames, key));
}

const Paint& key_paint(const std::vector<CodeOrigin>& origins, const NodeKey& key) {
  if (key.kind == NodeKind::frame) return paint_of(origins[key.frame().value]);
  if (key.kind == NodeKind::pseudo) return paint_of(static_cast<Pseudo>(key.value));
  return key.is(BlockState::inactive) ? paint::kFree : paint::kGroup;
}

std::string delta_text(std::int64_t bytes) {
  const std::string text = format_delta(bytes);
  return bytes < 0 ? fmt::format("−{}", text.substr(1)) : text;
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  return format_counted(count, noun);
}

} // namespace memviz::render
