#include "analysis/steps/passes.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace memviz {

namespace {

constexpr std::size_t kMostChanges = std::size_t{1} << 20U;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Whether a function of this name runs only in a backward pass: autograd's engine, backward() of any class, hooks such
/// as _post_backward_hook, and the recomputation of a checkpoint's activations. "forward_backward_step" runs in both
/// passes.
bool is_backward_name(std::string_view name) {
  if (contains(name, "torch::autograd::Engine") || name == "unpack_hook") return true;
  constexpr std::array<std::string_view, 3> kMore{"forward", "step", "_and_"};
  return contains(name, "backward") &&
         std::ranges::none_of(kMore, [&](std::string_view part) { return contains(name, part); });
}

bool is_cpp_name(std::string_view name) {
  return contains(name, "::");
}

bool has_only_python(const FrameTable& frames) {
  TextFacts<bool> is_cpp(frames, is_cpp_name);
  for (std::uint32_t i = 0; i < frames.frame_count(); ++i)
    if (is_cpp.of(frames.frame(FrameId{i}).name)) return false;
  return frames.frame_count() > 0;
}

} // namespace

PassFinder::PassFinder(const FrameTable& frames)
    : frames_(frames), names_(frames, is_backward_name), has_only_python_(has_only_python(frames)) {
}

bool PassFinder::is_backward(StackId stack) {
  if (is_backward_.size() <= stack.value) is_backward_.resize(frames_.stack_count());
  std::uint8_t& known = is_backward_[stack.value];
  if (known == 0) {
    const auto stack_frames = frames_.stack(stack);
    // The engine's own thread has no Python frames.
    const bool found = stack_frames.empty() ? has_only_python_ : std::ranges::any_of(stack_frames, [&](FrameId frame) {
      return names_.of(frames_.frame(frame).name);
    });
    known = found ? 2 : 1;
  }
  return known == 2;
}

std::vector<PassChange> PassFinder::changes_in(const EventTable& events) {
  std::vector<PassChange> changes;
  std::optional<bool> was_backward;
  std::size_t last = 0;
  for (std::size_t i = 0; i < events.size() && changes.size() < kMostChanges; ++i) {
    if (events.action(i) != Action::alloc) continue;
    const bool is_now = is_backward(events.stack(i));
    if (was_backward && is_now != *was_backward) changes.push_back({last, i, is_now});
    was_backward = is_now;
    last = i;
  }
  return changes;
}

} // namespace memviz
