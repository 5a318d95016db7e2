#pragma once

// The option that says where steps begin (--steps).

#include "answers/option.hpp"
#include "cli/frame/file_options.hpp"
#include "memviz/leaks.hpp"

namespace memviz::cli {

[[nodiscard]] OptionList<LeakOptions> step_options();

/// Returns the choice with the annotation as the snapshot spells it: with --redact a pseudonym.
[[nodiscard]] StepChoice step_choice_of(const FileOptions& options, const StepChoice& given);

} // namespace memviz::cli
