#include "formats/frame_writer.hpp"

#include "memviz/source_line.hpp"
#include "recording/keys.hpp"

#include <limits>

namespace memviz {

FrameWriter::FrameWriter(PickleWriter& pickle, const FrameTable& frames)
    : pickle_(pickle), frames_(frames), texts_(frames.string_count()), frame_places_(frames.frame_count()),
      stacks_(frames.stack_count()), name_lists_(frames.stack_count()) {
}

void FrameWriter::stack(StackId id) {
  const StackId written = id == kNoContext ? kNoFrames : id;
  list(written, stacks_[written.value], [this](FrameId one) { frame(one); });
}

void FrameWriter::names(StackId id) {
  list(id, name_lists_[id.value], [this](FrameId one) { text(frames_.frame(one).name); });
}

template <class Write> void FrameWriter::list(StackId id, MemoPlace& place, const Write& write) {
  if (!place.is_none()) return pickle_.fetch(place);
  const auto frames = frames_.stack(id);
  if (frames.empty()) {
    place = pickle_.empty_kept_list();
    return;
  }
  place = pickle_.begin_kept_list();
  for (const FrameId one : frames)
    write(one);
  pickle_.end_kept_list();
}

void FrameWriter::frame(FrameId id) {
  MemoPlace& place = frame_places_[id.value];
  if (!place.is_none()) return pickle_.fetch(place);
  pickle_.begin_kept_dict(place);
  const Frame& frame = frames_.frame(id);
  const auto member = [this](std::string_view key, StringId value) {
    pickle_.word(key);
    text(value);
  };
  member(kFrameKeys.name("name"), frame.name);
  member(kFrameKeys.name("filename"), frame.filename);
  pickle_.word(kFrameKeys.name("line"));
  if (frame.line == kUnknownLine)
    pickle_.unsigned_integer(std::numeric_limits<std::uint64_t>::max());
  else
    pickle_.integer(frame.line);
  if (const FxInfo* const fx = frames_.fx(id)) {
    member(kFrameKeys.name("fx_node_op"), fx->node_op);
    member(kFrameKeys.name("fx_node_name"), fx->node_name);
    member(kFrameKeys.name("fx_node_target"), fx->node_target);
    member(kFrameKeys.name("fx_original_trace"), fx->original_trace);
  }
  pickle_.end_dict();
}

} // namespace memviz
