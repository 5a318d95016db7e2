#include "analysis/tree/frame_selection.hpp"

#include "analysis/tree/text_facts.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <re2/re2.h>

namespace memviz {
namespace {

/// RE2, because its time is linear in the text and it does not recurse: names come from the file.
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

/// A filter of frames by name and file.
class Filter {
public:
  Filter(const FrameTable& frames, FrameFilter filter)
      : frames_(frames), filter_(filter), omitted_names_(frames, is_omitted_name),
        omitted_files_(frames, is_omitted_file), origins_(frames, origin_of) {}

  [[nodiscard]] bool passes(const Frame& frame) {
    switch (filter_) {
    case FrameFilter::program: return !is_omitted_frame(frame) && !is_interpreter_frame(frame);
    case FrameFilter::filtered: return !is_omitted_frame(frame);
    case FrameFilter::user: return origins_.of(frame.filename) == CodeOrigin::user;
    case FrameFilter::python: return origins_.of(frame.filename) != CodeOrigin::cpp;
    case FrameFilter::all: break;
    }
    return true;
  }

private:
  [[nodiscard]] bool is_omitted_frame(const Frame& frame) {
    return omitted_names_.of(frame.name) || omitted_files_.of(frame.filename);
  }
  [[nodiscard]] bool is_interpreter_frame(const Frame& frame) const {
    return is_interpreter(frames_.text(frame.name), frames_.text(frame.filename));
  }

  const FrameTable& frames_;
  FrameFilter filter_;
  TextFacts<bool> omitted_names_;
  TextFacts<bool> omitted_files_;
  TextFacts<CodeOrigin> origins_;
};

} // namespace

bool is_in(const LifeRange& lives, const BlockHistory& history) {
  if (lives.of == LivesOf::all) return true;
  const EventIndex event = lives.of == LivesOf::born ? history.alloc_event : history.free_event;
  return !event.is_none() && event.number() >= static_cast<std::int64_t>(lives.first) &&
         event.number() < static_cast<std::int64_t>(lives.last);
}

FrameSelection::FrameSelection(const FrameTable& frames, const TreeOptions& options, std::string_view focus_option)
    : frames_(frames), has_focus_(!options.focus.empty()), keeps_(frames.frame_count()),
      matches_focus_(frames.frame_count()), looks_(frames.stack_count()) {
  const Pattern focus(options.focus, focus_option);
  const Pattern hide(options.hide, "--hide");
  Filter filter(frames, options.frames);
  for (std::uint32_t id = 0; id < frames.frame_count(); ++id) {
    const FrameId frame{id};
    keeps_[id] = filter.passes(frames.frame(frame));
    if (focus.is_empty() && hide.is_empty()) continue;
    const std::string text =
        fmt::format("{}:{}:{}", frames.filename(frame), file_line_text(frames.frame(frame).line), frames.name(frame));
    if (!hide.is_empty() && hide.matches(text)) keeps_[id] = false;
    matches_focus_[id] = !focus.is_empty() && focus.matches(text);
  }
}

std::span<const FrameId> FrameSelection::selected(StackId stack) {
  const Look& look = look_at(stack);
  return std::span(kept_).subspan(static_cast<std::size_t>(look.begin), look.size);
}

const FrameSelection::Look& FrameSelection::look_at(StackId stack) {
  std::optional<Look>& look = looks_[stack.value];
  if (look) return *look;
  const auto innermost_first = frames_.stack(stack);
  look.emplace();
  look->begin = kept_.size();
  std::copy_if(innermost_first.rbegin(), innermost_first.rend(), std::back_inserter(kept_),
               [&](FrameId frame) { return keeps_[frame.value]; });
  look->size = static_cast<std::uint32_t>(kept_.size() - look->begin);
  look->is_in_focus =
      !has_focus_ || std::ranges::any_of(innermost_first, [&](FrameId frame) { return matches_focus_[frame.value]; });
  return *look;
}

} // namespace memviz
