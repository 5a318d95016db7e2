#include "context_stacks.hpp"

#include <map>
#include <utility>

namespace memviz::capture {

std::size_t ContextStacks::add_python(torch::CapturedTraceback* traceback) {
  pythons_.push_back(traceback);
  return pythons_.size() - 1;
}

void ContextStacks::add(const c10::GatheredContext* context) {
  if (context == nullptr || parts_.contains(context)) return;
  Parts parts;
  if (const auto* ours = dynamic_cast<const StackContext*>(context)) {
    if (ours->native != nullptr) {
      const auto [place, is_new] = native_of_.try_emplace(ours->native.get(), kNoStack);
      if (is_new) place->second = natives_.add(*ours->native);
      parts.native = place->second;
    }
    if (ours->python != nullptr) parts.python = add_python(ours->python);
  } else if (const auto* theirs = dynamic_cast<const torch::CapturedTraceback*>(context)) {
    // symbolize() keeps its result in the traceback's cache, hence not const.
    parts.python = add_python(const_cast<torch::CapturedTraceback*>(theirs)); // NOLINT
  }
  parts_.emplace(context, parts);
}

void ContextStacks::finish(SnapshotData& snapshot) {
  const StackIndex first_native = add_native_stacks(natives_, snapshot);
  torch::SymbolizedTracebacks symbolized;
  if (!pythons_.empty()) symbolized = torch::symbolize(pythons_);
  const auto first_python_frame = static_cast<std::uint32_t>(snapshot.frames.size());
  for (const auto& frame : symbolized.all_frames) {
    snapshot.frames.push_back({frame.funcname, frame.filename, static_cast<std::int64_t>(frame.lineno)});
  }

  // Each event has a traceback of its own, and most are alike.
  std::map<std::pair<StackIndex, std::vector<std::uint32_t>>, StackIndex> known;
  const std::vector<std::uint32_t> no_frames;
  for (const auto& [context, parts] : parts_) {
    std::vector<std::uint32_t> python;
    if (parts.python != kNoPython) {
      for (const std::uint64_t frame : symbolized.tracebacks.at(parts.python)) {
        python.push_back(first_python_frame + static_cast<std::uint32_t>(frame));
      }
    }
    if (python.empty()) {
      stacks_[context] = parts.native == kNoStack ? kNoStack : first_native + parts.native;
      continue;
    }
    const auto [place, is_new] = known.try_emplace({parts.native, std::move(python)}, kNoStack);
    if (is_new) {
      const auto& native = parts.native == kNoStack ? no_frames : snapshot.stacks[first_native + parts.native];
      std::vector<std::uint32_t> merged = merge_python(native, place->first.second, snapshot.frames);
      place->second = static_cast<StackIndex>(snapshot.stacks.size());
      snapshot.stacks.push_back(std::move(merged));
    }
    stacks_[context] = place->second;
  }
}

StackIndex ContextStacks::operator[](const c10::GatheredContext* context) const {
  const auto known = stacks_.find(context);
  return known == stacks_.end() ? kNoStack : known->second;
}

std::vector<std::uint32_t> merge_python(const std::vector<std::uint32_t>& native,
                                        const std::vector<std::uint32_t>& python,
                                        const std::vector<FrameData>& frames) {
  std::vector<std::uint32_t> merged;
  auto next = python.begin();
  for (const std::uint32_t frame : native) {
    const bool is_interpreter = frames[frame].name.find("PyEval_EvalFrame") != std::string::npos;
    if (is_interpreter && next != python.end()) merged.push_back(*next++);
    merged.push_back(frame);
  }
  merged.insert(merged.end(), next, python.end());
  return merged;
}

} // namespace memviz::capture
