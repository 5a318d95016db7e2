#include "story/short_label.hpp"

#include "base/font_columns.hpp"
#include "base/printable.hpp"
#include "memviz/flame.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>

namespace memviz {

namespace {

std::string label_name(std::string_view name) {
  return one_line(short_function(name));
}

/// Returns the end of a file's name, the part that a label can show.
std::string label_file(std::string_view filename) {
  constexpr std::size_t kMostBytes = 4 * kMostNameColumns + 4;
  const std::string_view file = known_basename(filename);
  return std::string(file.substr(file.size() - std::min(file.size(), kMostBytes)));
}

/// Keeps the end of a long place, because readers look for the line number.
Label label_of(const std::string& name, const std::string& file, std::int64_t line) {
  std::string place = file.empty() || !is_line(line) ? file : fmt::format("{}:{}", file, line);
  place = safe_line(cut_start(place, kMostNameColumns));
  if (!name.empty()) return {.name = name, .place = std::move(place)};
  return {.name = place.empty() ? std::string("?") : std::move(place)};
}

/// "free" of "free (inactive)": PyTorch's name is the first to go.
Label label_of(BlockState state) {
  const std::string_view name = state_label(state);
  return {.name = std::string(name), .brief = std::string(name.substr(0, name.find(" (")))};
}

} // namespace

std::string one_line(std::string_view text, std::size_t columns) {
  return safe_line(cut_end(text.substr(0, 4 * columns + 4), columns));
}

Label FrameLabels::of(FrameId frame_id) {
  const Frame& frame = frames_.frame(frame_id);
  std::optional<std::string>& name = names_[frame.name.value];
  if (!name) name = label_name(frames_.text(frame.name));
  std::optional<std::string>& file = files_[frame.filename.value];
  if (!file) file = label_file(frames_.text(frame.filename));
  Label label = label_of(*name, *file, frame.line);
  label.source = frames_.source(frame_id);
  return label;
}

Label frame_label(const FrameTable& frames, FrameId frame) {
  return label_of(label_name(frames.name(frame)), label_file(frames.filename(frame)), frames.frame(frame).line);
}

std::string_view state_label(BlockState state) {
  switch (state) {
  case BlockState::active_allocated: return "in use (active_allocated)";
  case BlockState::active_pending_free: return "awaiting free (active_pending_free)";
  case BlockState::inactive: break;
  }
  return "free (inactive)";
}

std::string short_stream(std::int64_t stream) {
  constexpr std::size_t kDigits = 6;
  const std::string text = std::to_string(stream);
  return text.size() <= kDigits + 2 ? "stream " + text : "stream …" + text.substr(text.size() - kDigits);
}

Label key_label(const FrameTable& frames, const NodeKey& key) {
  if (const auto* frame = std::get_if<FrameId>(&key)) return frame_label(frames, *frame);
  if (const auto* kind = std::get_if<MemoryKind>(&key)) return {.name = std::string(kind_label(*kind))};
  if (const auto* state = std::get_if<BlockState>(&key)) return label_of(*state);
  if (const auto* stream = std::get_if<StreamKey>(&key))
    return {.name = node_label(frames, key), .brief = short_stream(stream->stream)};
  if (const auto* step = std::get_if<KeeperStep>(&key); step != nullptr && step->is_keeper())
    return {.name = one_line(node_label(frames, key)),
            .place = label_of("", label_file(frames.text(step->file)), step->line).name};
  return {.name = one_line(node_label(frames, key))};
}

std::vector<Label> key_labels(const FrameTable& frames, const std::vector<NodeKey>& keys) {
  const std::vector<std::string> places = places_apart(frames, keys);
  std::vector<Label> labels;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    labels.push_back(key_label(frames, keys[i]));
    if (is_frame(keys[i]) && !labels.back().place.empty())
      labels.back().place = safe_line(cut_start(places[i], kMostNameColumns));
    labels.back().source = source_of(frames, keys[i]);
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

} // namespace memviz
