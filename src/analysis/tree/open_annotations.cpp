#include "analysis/tree/open_annotations.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <string_view>
#include <tuple>

namespace memviz {

namespace {

struct StageMark {
  std::int64_t time_us;
  bool is_end;
  StringId name;

  /// Whether it applies to allocations at a time.
  [[nodiscard]] bool is_before(std::int64_t us) const { return time_us < us || (time_us == us && !is_end); }
};

/// Sorted in the order in which they apply: an annotation that begins in a microsecond comes before one that ends in
/// it.
std::map<DeviceId, std::vector<StageMark>> marks_by_device(const Recording& recording) {
  std::map<DeviceId, std::vector<StageMark>> by_device;
  for (const Annotation& annotation : recording.annotations) {
    const std::string_view stage = recording.frames.text(annotation.stage);
    if (stage != "START" && stage != "END") continue;
    by_device[annotation.device].push_back({annotation.time_us, stage == "END", annotation.name});
  }
  for (auto& [device, marks] : by_device)
    std::ranges::stable_sort(marks, [](const StageMark& left, const StageMark& right) {
      return std::tie(left.time_us, left.is_end) < std::tie(right.time_us, right.is_end);
    });
  return by_device;
}

/// The annotations that are open while time passes.
class OpenList {
public:
  void begin(StringId name) { places_[name].push_back(open_.insert(open_.end(), name)); }

  /// An END closes the innermost annotation of its name.
  void take(const StageMark& mark) {
    if (!mark.is_end) return begin(mark.name);
    std::vector<Place>& places = places_[mark.name];
    if (places.empty()) return;
    open_.erase(places.back());
    places.pop_back();
  }

  [[nodiscard]] AnnotationPath path() const {
    AnnotationPath path;
    for (auto name = open_.rbegin(); name != open_.rend() && path.size() < kMostOpen; ++name)
      path.push_back(*name);
    std::ranges::reverse(path);
    return path;
  }

private:
  using Place = std::list<StringId>::iterator;
  std::list<StringId> open_; ///< the innermost last
  std::map<StringId, std::vector<Place>> places_;
};

/// Returns the annotations that are open before the first mark: the one that ends last is the outermost.
OpenList open_before(const std::vector<StageMark>& marks) {
  std::map<StringId, std::uint64_t> begun;
  std::vector<StringId> only_ended;
  for (const StageMark& mark : marks) {
    std::uint64_t& count = begun[mark.name];
    if (!mark.is_end)
      ++count;
    else if (count > 0)
      --count;
    else
      only_ended.push_back(mark.name);
  }
  OpenList open;
  for (auto name = only_ended.rbegin(); name != only_ended.rend(); ++name)
    open.begin(*name);
  return open;
}

struct TimedBlock {
  std::int64_t time_us;
  std::uint32_t block;
};

std::vector<TimedBlock> timed_blocks(const MemoryState& state, DeviceId device) {
  std::vector<TimedBlock> blocks;
  for (const Segment& segment : state.segments_of(device))
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (const auto& birth = state.facts[i].birth; birth && birth->time_us) blocks.push_back({*birth->time_us, i});
  std::ranges::sort(blocks, [](const TimedBlock& left, const TimedBlock& right) {
    return std::tie(left.time_us, left.block) < std::tie(right.time_us, right.block);
  });
  return blocks;
}

} // namespace

OpenAnnotations open_annotations(const MemoryState& state) {
  OpenAnnotations result{{{}}, std::vector<std::uint32_t>(state.blocks.size())};
  std::map<AnnotationPath, std::uint32_t> places{{{}, 0}};
  for (const auto& [device, marks] : marks_by_device(*state.recording)) {
    OpenList open = open_before(marks);
    auto mark = marks.begin();
    for (const TimedBlock& block : timed_blocks(state, device)) {
      for (; mark != marks.end() && mark->is_before(block.time_us); ++mark)
        open.take(*mark);
      const auto [place, is_new] = places.try_emplace(open.path(), static_cast<std::uint32_t>(result.paths.size()));
      if (is_new) result.paths.push_back(place->first);
      result.of_block[block.block] = place->second;
    }
  }
  return result;
}

AnnotationPath open_annotations_at(const Recording& recording, DeviceId device, std::int64_t time_us) {
  const auto by_device = marks_by_device(recording);
  const auto found = by_device.find(device);
  if (found == by_device.end()) return {};
  OpenList open = open_before(found->second);
  for (const StageMark& mark : found->second) {
    if (!mark.is_before(time_us)) break;
    open.take(mark);
  }
  return open.path();
}

} // namespace memviz
