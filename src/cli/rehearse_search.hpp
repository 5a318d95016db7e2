#pragma once

// `memviz rehearse --search`: one name with a range -> the largest number that fits, by bisection; two -> the largest
// of the first for numbers of the second.

#include "answers/option.hpp"
#include "memviz/fit.hpp"
#include "rehearse/rehearsal_run.hpp"

#include <functional>
#include <string>
#include <vector>

namespace memviz::cli {

struct SearchOptions {
  std::vector<rehearse::SearchRange> ranges; ///< empty without --search
  bool shows_output = false;
};

[[nodiscard]] OptionList<SearchOptions> search_options();

/// Throws UsageError where the options contradict each other or the program's words.
void check(const SearchOptions& options, const std::vector<std::string>& words);

/// Called with a line for each run.
using OnRun = std::function<void(const std::string& what, const rehearse::FitVerdict& verdict)>;

/// Searches the first range. Only the snapshots of the largest that fits and of the smallest that does not are kept.
/// Throws as rehearse() does, and Error where a folder of the snapshots has files.
[[nodiscard]] rehearse::SearchReport run_search(const SearchOptions& options, const rehearse::Setup& setup,
                                                const std::vector<std::string>& words, const OnRun& on_run);

/// Searches the first range for numbers of the second: its lowest, doubled up to its highest. Throws as run_search().
[[nodiscard]] rehearse::FrontierReport run_frontier(const SearchOptions& options, const rehearse::Setup& setup,
                                                    const std::vector<std::string>& words, const OnRun& on_run);

} // namespace memviz::cli
