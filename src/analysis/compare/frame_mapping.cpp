#include "analysis/compare/frame_mapping.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace memviz {

namespace {

using FunctionName = std::pair<StringId, StringId>; // file and name, of the common table

/// The active requested bytes of each frame, by FrameId: of stacks whose line of the user's it is, and of all stacks
/// that it is in.
struct FrameBytes {
  std::vector<std::uint64_t> own;
  std::vector<std::uint64_t> below;
};

FrameBytes bytes_by_frame(const MemoryState& state) {
  const FrameTable& frames = state.frames();
  std::vector<std::uint64_t> by_stack(frames.stack_count());
  for (const Block& block : state.blocks)
    if (block.is_active()) by_stack[block.stack.value] += block.requested_bytes;
  FrameBytes bytes{std::vector<std::uint64_t>(frames.frame_count()), std::vector<std::uint64_t>(frames.frame_count())};
  UserLineFinder lines(frames);
  for (std::uint32_t id = 0; id < by_stack.size(); ++id) {
    if (by_stack[id] == 0) continue;
    for (const FrameId frame : frames.stack({id}))
      bytes.below[frame.value] += by_stack[id];
    const NodeKey line = lines.line_of({id});
    if (is_frame(line)) bytes.own[std::get<FrameId>(line).value] += by_stack[id];
  }
  return bytes;
}

/// One snapshot, with its texts and frames in ids of the common table.
struct TranslatedSide {
  const MemoryState& state;
  std::vector<StringId> texts;
  std::vector<Frame> frames;

  [[nodiscard]] std::string_view source(std::size_t frame) const {
    return state.frames().source({static_cast<std::uint32_t>(frame)});
  }
};

TranslatedSide translated(const MemoryState& state, const MovedFiles& moved, FrameTable& common) {
  const FrameTable& frames = state.frames();
  TranslatedSide side{state, std::vector<StringId>(frames.string_count()), {}};
  for (std::uint32_t id = 0; id < side.texts.size(); ++id)
    side.texts[id] = common.intern(frames.text({id}));
  std::vector<StringId> files = side.texts;
  for (std::uint32_t id = 0; id < files.size() && !moved.empty(); ++id)
    if (const std::string_view* const match = moved.find(frames.text({id}))) files[id] = common.intern(*match);
  side.frames.reserve(frames.frame_count());
  for (std::uint32_t id = 0; id < frames.frame_count(); ++id) {
    const Frame& own = frames.frame({id});
    side.frames.push_back({side.texts[own.name.value], files[own.filename.value], own.line});
  }
  return side;
}

FrameId add_to_common(const Frame& frame, std::string_view source, FrameTable& common) {
  const FrameId id = common.add_frame(frame);
  if (!source.empty()) common.set_source(id, source);
  return id;
}

std::vector<FrameId> ids_by_line(const TranslatedSide& side, FrameTable& common) {
  std::vector<FrameId> ids;
  ids.reserve(side.frames.size());
  for (std::size_t i = 0; i < side.frames.size(); ++i)
    ids.push_back(add_to_common(side.frames[i], side.source(i), common));
  return ids;
}

/// Whether Python names a function that lies within another one so: <listcomp>, <lambda>.
bool is_within_function(std::string_view name) {
  return name.starts_with('<') && name != "<module>";
}

/// The functions of one side: for each frame the number of its function among those of its file and name, from the top.
struct FunctionRuns {
  std::vector<std::uint32_t> number; ///< by frame
  std::map<FunctionName, std::uint32_t> count;
};

FunctionRuns runs_of(const TranslatedSide& side, const FrameTable& common) {
  std::vector<std::size_t> order(side.frames.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const Frame& frame = side.frames[i];
    return std::tuple(frame.filename, frame.line, frame.name, i);
  });
  FunctionRuns runs{std::vector<std::uint32_t>(side.frames.size()), {}};
  FunctionName last;
  for (const std::size_t i : order) {
    const FunctionName function{side.frames[i].filename, side.frames[i].name};
    std::uint32_t& count = runs.count[function];
    const bool is_inside = is_within_function(common.text(function.second));
    if (count == 0 || (!is_inside && function != last)) ++count;
    if (!is_inside) last = function;
    runs.number[i] = count - 1;
  }
  return runs;
}

/// A function with the frame that stands for it.
struct FunctionLine {
  std::uint64_t own_bytes = 0;
  std::uint64_t below_bytes = 0;
  std::size_t frame = 0;
};

using FunctionKey = std::pair<FunctionName, std::uint32_t>;
using FunctionLines = std::map<FunctionKey, FunctionLine>;

/// Both sides by function.
class FunctionMatcher {
public:
  FunctionMatcher(const TranslatedSide& before, const TranslatedSide& after, FrameTable& common)
      : before_(before), after_(after), common_(common), before_runs_(runs_of(before, common)),
        after_runs_(runs_of(after, common)), before_lines_(lines_of(before, before_runs_)),
        after_lines_(lines_of(after, after_runs_)) {}

  std::vector<FrameId> before_ids() { return ids_of(before_, before_runs_); }
  std::vector<FrameId> after_ids() { return ids_of(after_, after_runs_); }

private:
  /// Only where both sides have equally many functions of a name is it known which corresponds to which.
  [[nodiscard]] FunctionKey key_of(const TranslatedSide& side, const FunctionRuns& runs, std::size_t frame) const {
    const FunctionName function{side.frames[frame].filename, side.frames[frame].name};
    const auto before_count = before_runs_.count.find(function);
    const auto after_count = after_runs_.count.find(function);
    const bool is_known = before_count != before_runs_.count.end() && after_count != after_runs_.count.end() &&
                          before_count->second == after_count->second;
    return {function, is_known ? runs.number[frame] : 0};
  }

  [[nodiscard]] FunctionLines lines_of(const TranslatedSide& side, const FunctionRuns& runs) const {
    const FrameBytes bytes = bytes_by_frame(side.state);
    FunctionLines lines;
    for (std::size_t i = 0; i < side.frames.size(); ++i) {
      const FunctionLine line{bytes.own[i], bytes.below[i], i};
      const auto [entry, is_new] = lines.try_emplace(key_of(side, runs, i), line);
      const auto rank = [&](const FunctionLine& one) {
        return std::tuple(~one.own_bytes, ~one.below_bytes, side.frames[one.frame].line);
      };
      if (!is_new && rank(line) < rank(entry->second)) entry->second = line;
    }
    return lines;
  }

  FrameId common_line(const FunctionKey& key) {
    const auto before = before_lines_.find(key);
    const auto after = after_lines_.find(key);
    const bool is_of_after =
        after != after_lines_.end() &&
        (before == before_lines_.end() || after->second.own_bytes > 0 || before->second.own_bytes == 0);
    const TranslatedSide& side = is_of_after ? after_ : before_;
    const std::size_t frame = is_of_after ? after->second.frame : before->second.frame;
    return add_to_common(side.frames[frame], side.source(frame), common_);
  }

  std::vector<FrameId> ids_of(const TranslatedSide& side, const FunctionRuns& runs) {
    std::vector<FrameId> ids;
    ids.reserve(side.frames.size());
    for (std::size_t i = 0; i < side.frames.size(); ++i) {
      const FunctionKey key = key_of(side, runs, i);
      const auto [entry, is_new] = functions_.try_emplace(key);
      if (is_new) entry->second = common_line(key);
      ids.push_back(entry->second);
    }
    return ids;
  }

  const TranslatedSide& before_;
  const TranslatedSide& after_;
  FrameTable& common_;
  FunctionRuns before_runs_;
  FunctionRuns after_runs_;
  FunctionLines before_lines_;
  FunctionLines after_lines_;
  std::map<FunctionKey, FrameId> functions_;
};

} // namespace

FrameMappings map_frames(const MemoryState& before, const MemoryState& after, const MovedFiles& moved, FrameMatch match,
                         FrameTable& common) {
  TranslatedSide after_side = translated(after, {}, common);
  TranslatedSide before_side = translated(before, moved, common);
  if (match == FrameMatch::function) {
    FunctionMatcher matcher(before_side, after_side, common);
    std::vector<FrameId> after_ids = matcher.after_ids();
    return {FrameMapping(matcher.before_ids(), std::move(before_side.texts)),
            FrameMapping(std::move(after_ids), std::move(after_side.texts))};
  }
  std::vector<FrameId> after_ids = ids_by_line(after_side, common);
  return {FrameMapping(ids_by_line(before_side, common), std::move(before_side.texts)),
          FrameMapping(std::move(after_ids), std::move(after_side.texts))};
}

} // namespace memviz
