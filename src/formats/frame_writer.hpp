#pragma once

// Texts, frames and stacks of a recording -> a pickle, each written once.

#include "formats/pickle_writer.hpp"
#include "memviz/frames.hpp"

#include <vector>

namespace memviz {

class FrameWriter {
public:
  /// `frames` and `pickle` must outlive this object.
  FrameWriter(PickleWriter& pickle, const FrameTable& frames);

  void text(StringId id) { pickle_.text(frames_.text(id), texts_[id.value]); }
  /// Writes the stack as a list of dicts: `frames`.
  void stack(StackId id);
  /// Writes the stack as a list of names: `forward_frames`.
  void names(StackId id);

private:
  template <class Write> void list(StackId id, MemoPlace& place, const Write& write);
  void frame(FrameId id);

  PickleWriter& pickle_;
  const FrameTable& frames_;
  std::vector<MemoPlace> texts_;
  std::vector<MemoPlace> frame_places_;
  std::vector<MemoPlace> stacks_;
  std::vector<MemoPlace> name_lists_;
};

} // namespace memviz
