#include "page/naming.hpp"

#include "memviz/flame.hpp"
#include "memviz/format.hpp"
#include "memviz/source_line.hpp"

#include <fmt/format.h>
#include <variant>

namespace memviz::render {
namespace {

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

const Paint& keeper_paint(KeeperPart part) {
  switch (part) {
  case KeeperPart::running:
  case KeeperPart::globals:
  case KeeperPart::exception:
  case KeeperPart::traceback: return paint::kGroup;
  case KeeperPart::variable:
  case KeeperPart::attribute:
  case KeeperPart::key:
  case KeeperPart::items:
  case KeeperPart::object: return paint::kUser;
  case KeeperPart::graph: return paint::kTorch;
  case KeeperPart::cycle:
  case KeeperPart::temporary: return paint::kLibrary;
  case KeeperPart::no_object:
  case KeeperPart::unknown:
  case KeeperPart::freed: return paint::kNoStack;
  }
  return paint::kGroup;
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

std::string frame_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins, FrameId frame,
                          std::size_t columns) {
  const std::int64_t line = frames.frame(frame).line;
  std::string heading =
      fmt::format("{}\n{}{} ({})", one_line(frames.name(frame), columns), one_line(frames.filename(frame), columns),
                  !is_line(line) ? "" : fmt::format(":{}", line), origin_name(origins[frame.value]));
  if (const std::string_view source = frames.source(frame); !source.empty())
    heading += fmt::format("\n    {}", one_line(source, columns));
  if (const std::string fx = fx_text(frames, frame); !fx.empty()) heading += "\n" + one_line(fx, columns);
  return heading;
}

std::string key_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const NodeKey& key) {
  if (const auto* frame = std::get_if<FrameId>(&key)) return frame_heading(frames, origins, *frame);
  if (const auto* kind = std::get_if<MemoryKind>(&key)) return std::string(kind_label(*kind));
  if (const auto* state = std::get_if<BlockState>(&key)) return std::string(state_label(*state));
  const Label label = key_label(frames, key);
  return label.place.empty() ? label.name : label.name + ' ' + label.place;
}

std::string line_title(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const HolderRow& row) {
  return key_heading(frames, origins, row.key) + "\n" + format_count(row.amount.bytes) + " bytes";
}

std::string annotation_text(std::string_view annotation) {
  constexpr std::size_t kColumns = 100;
  return one_line(annotation, kColumns);
}

bool has_hue(const NodeKey& key) {
  const auto* const step = std::get_if<KeeperStep>(&key);
  return is_frame(key) || (step != nullptr && &keeper_paint(step->part) != &paint::kNoStack);
}

const Paint& key_paint(const std::vector<CodeOrigin>& origins, const NodeKey& key) {
  if (const auto* frame = std::get_if<FrameId>(&key)) return paint_of(origins[frame->value]);
  if (const auto* pseudo = std::get_if<Pseudo>(&key)) return paint_of(*pseudo);
  if (const auto* step = std::get_if<KeeperStep>(&key)) return keeper_paint(step->part);
  return key == NodeKey(BlockState::inactive) ? paint::kFree : paint::kGroup;
}

} // namespace memviz::render
