#include "analysis/frame_selection.hpp"

#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>

namespace memviz {
namespace {

/// RE2, because its time is linear in the text and it does not recurse: names are up to the file.
class Pattern {
public:
  Pattern(const std::string& expression, std::string_view option)
      : expression_(expression), regex_(expression, RE2::Quiet) {
    if (!regex_.ok()) {
      throw UsageError(fmt::format("{} '{}' is not a regular expression: {}", option, expression, regex_.error()));
    }
  }
  [[nodiscard]] bool is_empty() const { return expression_.empty(); }
  [[nodiscard]] bool matches(const std::string& text) const { return RE2::PartialMatch(text, regex_); }

private:
  std::string expression_;
  RE2 regex_;
};

bool passes(FrameFilter filter, std::string_view name, std::string_view filename) {
  switch (filter) {
  case FrameFilter::filtered: return !is_omitted(name, filename);
  case FrameFilter::user: return origin_of(filename) == CodeOrigin::user;
  case FrameFilter::python: return origin_of(filename) != CodeOrigin::cpp;
  case FrameFilter::all: break;
  }
  return true;
}

} // namespace

FrameSelection::FrameSelection(const FrameTable& frames, const TreeOptions& options)
    : frames_(frames), has_focus_(!options.focus.empty()), keeps_(frames.frame_count()),
      matches_focus_(frames.frame_count()) {
  const Pattern focus(options.focus, "--focus");
  const Pattern hide(options.hide, "--hide");
  for (std::uint32_t id = 0; id < frames.frame_count(); ++id) {
    const FrameId frame{id};
    keeps_[id] = passes(options.frames, frames.name(frame), frames.filename(frame));
    if (focus.is_empty() && hide.is_empty()) continue;
    const std::string text =
        fmt::format("{}:{}:{}", frames.filename(frame), frames.frame(frame).line, frames.name(frame));
    if (!hide.is_empty() && hide.matches(text)) keeps_[id] = false;
    matches_focus_[id] = !focus.is_empty() && focus.matches(text);
  }
}

bool FrameSelection::is_in_focus(StackId stack) const {
  if (!has_focus_) return true;
  const auto frames = frames_.stack(stack);
  return std::any_of(frames.begin(), frames.end(), [&](FrameId frame) { return matches_focus_[frame.value]; });
}

} // namespace memviz
