#include "cli/rehearse_runs.hpp"

#include "answers/sizes.hpp"
#include "memviz/error.hpp"
#include "run/search.hpp"
#include "run/tries.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace memviz::cli {

using rehearse::Axis;
using rehearse::RunChange;

namespace {

/// With the most ranks that meet, they are as many programs as may run at once.
constexpr std::size_t kMostJobs = 64;

} // namespace

OptionList<AxisOptions> axis_options() {
  const OptionList<AxisOptions> own{
      {{"search", '\0', "NAME=A..B|NAME=A,B...",
        "find the largest number that fits, or run it with each of several values: NAME is set in the environment, and "
        "{NAME}, or {} if there is one name, is replaced in the program's words. Assumes that whatever fits also fits "
        "with a smaller number. With several names the answer is a table: the largest number of the first range for "
        "each value of the others, and for the lowest number of other ranges, doubled. The program's output is shown "
        "only if it fails for a reason other than memory",
        true},
       [](AxisOptions& options, const std::string& word) { options.searches.push_back(rehearse::parse_search(word)); }},
      rare(flag({"show-output", '\0', "", "with --search, show the program's output in every run"},
                &AxisOptions::shows_output)),
      {{"compare-with", '\0', "NAME=VALUE|ARGS",
        "run it again with this in the environment or, if it begins with '-', with these arguments after the program's "
        "own (--compare-with=--checkpointing), and report what changes; may be given several times",
        true},
       [](AxisOptions& options, const std::string& word) {
         options.changes.push_back(rehearse::parse_change("compare-with", word));
       }},
      rare(parsed({"jobs", '\0', "N",
                   "the number of runs at once (default: 1), for different GPUs, values of a list and settings; each "
                   "takes the memory of the host and the processors that the program takes"},
                  &AxisOptions::jobs, parse_up_to<kMostJobs>)),
      rare(Option<AxisOptions>{
          {"share", '\0', "COMMAND",
           "another program on the same GPU, as a command for the shell: it is rehearsed first, and this program finds "
           "taken what that one takes at its peak, with its context; may be given several times",
           true},
          [](AxisOptions& options, const std::string& word) { options.shares.push_back(word); }}),
      flag({"levers", '\0', "",
            "run it again with each setting of PyTorch's allocator that can save memory (expandable segments, maximum "
            "split size, rounding, garbage collection), and report what each changes"},
           &AxisOptions::tries_levers),
  };
  return joined<AxisOptions>({own, within<AxisOptions>(&AxisOptions::world, world_options())});
}

namespace {

void check_searches(const AxisOptions& options, const std::vector<std::string>& words) {
  std::set<std::string> names{"gpu", "setting"};
  for (const Axis& search : options.searches)
    if (!names.insert(search.name).second)
      throw UsageError(search.name == "gpu" || search.name == "setting"
                           ? fmt::format("--search: {} is a name of the answer's own; use another", search.name)
                           : fmt::format("--search: {} is named twice", search.name));
  if (options.searches.size() < 2) return;
  const bool is_unclear =
      std::ranges::any_of(words, [](const std::string& word) { return word.find("{}") != std::string::npos; });
  if (is_unclear)
    throw UsageError(fmt::format("with several names to --search, write {{{}}} and {{{}}} instead of {{}}",
                                 options.searches[0].name, options.searches[1].name));
}

void check_changes(const AxisOptions& options) {
  std::set<std::string> names;
  for (const RunChange& change : options.changes) {
    if (!names.insert(change.name).second)
      throw UsageError(fmt::format("--compare-with {} is given twice", change.name));
    for (const Axis& search : options.searches)
      for (const auto& [variable, value] : change.variables)
        if (search.name == variable)
          throw UsageError(fmt::format("--compare-with {}: --search sets {} in each run", change.name, variable));
  }
}

} // namespace

void check(const AxisOptions& options, const std::vector<std::string>& words) {
  if (options.searches.empty() && options.jobs == 1 && options.shows_output)
    throw UsageError("--show-output is for --search and --jobs; otherwise the program's output is shown anyway");
  check_searches(options, words);
  check_changes(options);
}

} // namespace memviz::cli
