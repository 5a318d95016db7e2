#pragma once

// The options of the questions of answers.hpp. The command line reads them as words, a request of the page by their
// names; help, manual, completion and Python's signatures are made of the same texts.

#include "answers/option.hpp"
#include "memviz/answers.hpp"

namespace memviz {

[[nodiscard]] OptionList<TreeChoice> flame_tree_options();
/// Returns the options of a comparison, except for --match.
[[nodiscard]] OptionList<TreeChoice> compare_tree_options();
[[nodiscard]] Option<CompareQuestion> match_option();
[[nodiscard]] Option<ExplainQuestion> capacity_option();
[[nodiscard]] OptionList<TimelineQuestion> timeline_question_options();

} // namespace memviz
