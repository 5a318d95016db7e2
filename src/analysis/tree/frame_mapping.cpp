#include "analysis/tree/frame_mapping.hpp"

namespace memviz {

FrameMapping FrameMapper::map(const FrameTable& frames, const MovedFiles& moved) {
  std::vector<StringId> texts(frames.string_count());
  for (std::uint32_t id = 0; id < texts.size(); ++id)
    texts[id] = common_.intern(frames.text({id}));
  std::vector<StringId> files = texts;
  for (std::uint32_t id = 0; id < files.size() && !moved.empty(); ++id)
    if (const auto match = moved.find(frames.text({id})); match != moved.end())
      files[id] = common_.intern(match->second);
  std::vector<FrameId> ids(frames.frame_count());
  for (std::uint32_t id = 0; id < ids.size(); ++id) {
    const Frame& own = frames.frame({id});
    const Frame frame{texts[own.name.value], files[own.filename.value], own.line};
    if (match_ == FrameMatch::line) {
      ids[id] = common_.add_frame(frame);
      continue;
    }
    const auto [entry, is_new] = functions_.try_emplace({frame.name, frame.filename});
    if (is_new) entry->second = common_.add_frame(frame);
    ids[id] = entry->second;
  }
  return FrameMapping(std::move(ids));
}

} // namespace memviz
