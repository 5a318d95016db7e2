#include "answers/question_options.hpp"

#include "answers/choice.hpp"
#include "answers/scope_options.hpp"
#include "answers/sizes.hpp"
#include "answers/tree_options.hpp"

#include <optional>

namespace memviz {

OptionList<TreeChoice> flame_tree_options() {
  return joined<TreeChoice>(
      {{view_option("memory: by stream, state and stack (default); segments: by stream, segment, state and stack, "
                    "with the blocks of each segment and what keeps mostly empty ones from being returned"),
        by_option()},
       tree_options()});
}

OptionList<TreeChoice> compare_tree_options() {
  return joined<TreeChoice>({{view_option("memory: by stream, state and stack; segments: by stream, segment, "
                                          "state and stack (default: by state and stack)"),
                              rare(by_option())},
                             tree_options()});
}

Option<CompareQuestion> match_option() {
  return rare(one_of<CompareQuestion, std::optional<FrameMatch>, std::optional<FrameMatch>>(
      {"match", '\0', "HOW",
       "when two frames are the same. line: by file, function and line; function: by file and function; auto "
       "(default): by line, but by function if most lines only moved, that is, if the other side holds at least "
       "half of what differs by line, and a tenth of everything, in the same functions of the same files at other "
       "lines. The output says which was used, and shows a function with its largest line"},
      &CompareQuestion::match,
      {{"auto", std::nullopt}, {"line", FrameMatch::line}, {"function", FrameMatch::function}}));
}

Option<ExplainQuestion> capacity_option() {
  return parsed({"capacity", '\0', "SIZE",
                 "the memory of each device, for example 80GiB, if the file does not record it: otherwise memory "
                 "outside PyTorch is unknown; a value smaller than what a device had is an error"},
                &ExplainQuestion::capacity_bytes, parse_bytes);
}

OptionList<TimelineQuestion> timeline_question_options() {
  return {parsed({"from", '\0', "EVENT", "begin after this event (default: before the first)"}, &TimelineQuestion::from,
                 parse_event),
          parsed({"to", '\0', "EVENT", "end with this event (default: the last)"}, &TimelineQuestion::to, parse_event),
          parsed(device_text(), &TimelineQuestion::device, parse_device)};
}

} // namespace memviz
