#pragma once

// The findings on a device -> sentences, as data: the verdict, its evidence, and the heading of each list of stacks.

#include "memviz/leaks.hpp"
#include "memviz/step_table.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The columns after which a name in a sentence or a table is cut.
inline constexpr std::size_t kLeakLineColumns = 48;

/// "" for what does not apply. A line is printed as one line.
struct LeaksWords {
  /// A line: "A leak: 2 stacks grow from step to step: +1.00 MiB a step", or that none does, or that there are too few
  /// steps for a verdict.
  std::string verdict;
  std::vector<std::string> kept;    ///< what earlier calls have left; the first of them leads the answer
  std::vector<std::string> reasons; ///< one line each: why there is no verdict, or what else grew
  std::string room;                 ///< a line: when the growth fills the device
  std::string perhaps;              ///< heads the growing stacks outside the verdict
  std::string steps;                ///< a line: how many there are, and where they come from
  std::vector<std::string> step_notes;
  std::string doubt;      ///< heads DeviceLeaks::doubtful
  std::string late_frees; ///< heads those
  std::string replaced;   ///< and those
  std::string stopped;    ///< and those
};

[[nodiscard]] LeaksWords leaks_words(const Recording& recording, const DeviceLeaks& leaks);

/// "medium: rose in 8 of 9 steps, from step 2 on"
[[nodiscard]] std::string confidence_text(const StackGrowth& growth);
/// "3.00 MiB, 12 blocks, step 7"
[[nodiscard]] std::string burst_text(const FreeBurst& burst);
/// Returns the source of the steps, "one at each annotation 'ProfilerStep#*'".
[[nodiscard]] std::string step_source_text(const Steps& steps);
/// Returns a note, without a full stop, on steps that are a guess, and on omitted ones.
[[nodiscard]] std::vector<std::string> step_notes(const Steps& steps);
/// Returns the step with the highest peak, and the one that grows most.
[[nodiscard]] std::string steps_answer(const StepTable& steps);
/// Returns the text for a file in which no device has events, which `purpose` needs: "find leaks".
[[nodiscard]] std::string no_events_text(std::string_view purpose);

} // namespace memviz
