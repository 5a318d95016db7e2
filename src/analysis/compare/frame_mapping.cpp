#include "analysis/compare/frame_mapping.hpp"

namespace memviz {

namespace {

/// Returns, by FrameId, the active requested bytes of each frame.
std::vector<std::uint64_t> bytes_by_frame(const MemoryState& state) {
  const FrameTable& frames = state.frames();
  std::vector<std::uint64_t> by_stack(frames.stack_count());
  for (const Block& block : state.blocks)
    if (block.is_active()) by_stack[block.stack.value] += block.requested_bytes;
  std::vector<std::uint64_t> by_frame(frames.frame_count());
  for (std::uint32_t id = 0; id < by_stack.size(); ++id) {
    if (by_stack[id] == 0) continue;
    for (const FrameId frame : frames.stack({id}))
      by_frame[frame.value] += by_stack[id];
  }
  return by_frame;
}

} // namespace

FrameMapping FrameMapper::map(const MemoryState& state, const MovedFiles& moved) {
  const FrameTable& frames = state.frames();
  std::vector<StringId> texts(frames.string_count());
  for (std::uint32_t id = 0; id < texts.size(); ++id)
    texts[id] = common_.intern(frames.text({id}));
  std::vector<StringId> files = texts;
  for (std::uint32_t id = 0; id < files.size() && !moved.empty(); ++id)
    if (const std::string_view* const match = moved.find(frames.text({id}))) files[id] = common_.intern(*match);
  std::vector<Frame> translated;
  translated.reserve(frames.frame_count());
  for (std::uint32_t id = 0; id < frames.frame_count(); ++id) {
    const Frame& own = frames.frame({id});
    translated.push_back({texts[own.name.value], files[own.filename.value], own.line});
  }
  if (match_ == FrameMatch::function)
    return {ids_by_function(frames, translated, bytes_by_frame(state)), std::move(texts)};
  std::vector<FrameId> ids;
  ids.reserve(translated.size());
  for (std::uint32_t id = 0; id < translated.size(); ++id)
    ids.push_back(added(translated[id], frames.source({id})));
  return {std::move(ids), std::move(texts)};
}

FrameId FrameMapper::added(const Frame& frame, std::string_view source) {
  const FrameId id = common_.add_frame(frame);
  if (!source.empty()) common_.set_source(id, source);
  return id;
}

std::vector<FrameId> FrameMapper::ids_by_function(const FrameTable& given, const std::vector<Frame>& frames,
                                                  const std::vector<std::uint64_t>& bytes) {
  std::map<Function, std::size_t> heaviest; // index of a frame
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto [entry, is_new] = heaviest.try_emplace({frames[i].name, frames[i].filename}, i);
    std::size_t& best = entry->second;
    if (bytes[i] > bytes[best] || (bytes[i] == bytes[best] && frames[i].line < frames[best].line)) best = i;
  }
  std::vector<FrameId> ids;
  ids.reserve(frames.size());
  for (const Frame& frame : frames) {
    const Function function{frame.name, frame.filename};
    const auto [entry, is_new] = functions_.try_emplace(function);
    if (is_new) {
      const std::size_t line = heaviest.at(function);
      entry->second = added(frames[line], given.source({static_cast<std::uint32_t>(line)}));
    }
    ids.push_back(entry->second);
  }
  return ids;
}

} // namespace memviz
