#include "cli/rehearse_search.hpp"

#include "cli/messages.hpp"
#include "io/scratch_file.hpp"
#include "memviz/error.hpp"
#include "rehearse/search.hpp"

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>
#include <utility>

namespace memviz::cli {

namespace {

namespace fs = std::filesystem;
using rehearse::FitOutcome;
using rehearse::FitVerdict;
using rehearse::SearchRange;
using rehearse::SearchReport;
using rehearse::SearchRun;
using rehearse::Setup;

class Search {
public:
  /// Tries the first range of `options`. `variables` are those that the words already have.
  Search(const SearchOptions& options, Setup setup, std::vector<std::string> words, Variables variables,
         const OnRun& on_run)
      : setup_(std::move(setup)), output_(setup_.output), range_(options.ranges.front()), words_(std::move(words)),
        shows_output_(options.shows_output), variables_(std::move(variables)), on_run_(on_run) {}

  [[nodiscard]] SearchReport run() {
    SearchReport report{.range = range_};
    try {
      report.largest = rehearse::largest_that_fits(range_, [&](std::uint64_t value) { return fits(report, value); });
    } catch (const NoAnswer&) {
      report.has_answer = false;
    }
    const auto smallest = smallest_that_fails(report);
    for (const SearchRun& one : report.runs) {
      std::error_code ignored;
      if (report.has_answer && one.value != report.largest && one.value != smallest)
        fs::remove_all(folder_of(one.value), ignored);
    }
    return report;
  }

private:
  struct NoAnswer {};

  [[nodiscard]] fs::path folder_of(std::uint64_t value) const {
    return output_ / fmt::format("{}-{}", range_.name, value);
  }

  /// A folder that is there may hold the files of somebody else: it would not be removed.
  void check_folder(std::uint64_t value) const {
    std::error_code ignored;
    const fs::path folder = folder_of(value);
    if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored))
      throw Error(folder.string() + " already exists, with files in it; use -o to name another folder");
  }

  [[nodiscard]] FitVerdict run_with(std::uint64_t value) {
    check_folder(value);
    setup_.output = folder_of(value);
    const auto words = rehearse::with_value(words_, range_.name, value);
    Variables variables = variables_;
    variables.emplace_back(range_.name, std::to_string(value));
    if (shows_output_) return rehearse::rehearse(setup_, words, variables);
    ScratchFile written;
    setup_.program_output = written.descriptor();
    FitVerdict verdict = rehearse::rehearse(setup_, words, variables);
    // Why it failed otherwise only the program itself can say.
    if (!rehearse::is_answer(verdict)) written.read(say);
    return verdict;
  }

  bool fits(SearchReport& report, std::uint64_t value) {
    FitVerdict verdict = run_with(value);
    std::string name;
    for (const auto& [variable, fixed] : variables_)
      name += fmt::format("{}={}, ", variable, fixed);
    on_run_(fmt::format("{}{}={}", name, range_.name, value), verdict);
    const bool is_known = rehearse::is_answer(verdict);
    const bool has_fit = verdict.outcome == FitOutcome::fits;
    if (verdict.computes_values && verdict.other_values && !verdict.other_values->is_range)
      setup_.values = rehearse::Values::on; // zeros are no answer
    report.runs.push_back({value, std::move(verdict)});
    if (!is_known) throw NoAnswer();
    return has_fit;
  }

  static std::optional<std::uint64_t> smallest_that_fails(const SearchReport& report) {
    std::optional<std::uint64_t> smallest;
    for (const SearchRun& one : report.runs)
      if (one.verdict.outcome == FitOutcome::does_not_fit && (!smallest || one.value < *smallest)) smallest = one.value;
    return smallest;
  }

  Setup setup_;
  fs::path output_;
  SearchRange range_;
  std::vector<std::string> words_;
  bool shows_output_;
  Variables variables_;
  const OnRun& on_run_;
};

} // namespace

OptionList<SearchOptions> search_options() {
  return {
      {{"search", '\0', "NAME=A..B",
        "find the largest number that fits: NAME is set in the environment, and {} and {NAME} are replaced in the "
        "program's words. Assumes that whatever fits also fits with a smaller number. The program's output is shown "
        "only if it fails for a reason other than memory. Given twice: the largest of the first for numbers of the "
        "second",
        true},
       [](SearchOptions& options, const std::string& word) { options.ranges.push_back(rehearse::parse_search(word)); }},
      rare(flag({"show-output", '\0', "", "with --search, show the program's output in every run"},
                &SearchOptions::shows_output)),
  };
}

void check(const SearchOptions& options, const std::vector<std::string>& words) {
  if (options.ranges.empty() && options.shows_output)
    throw UsageError("--show-output is for --search; otherwise the program's output is shown anyway");
  if (options.ranges.size() < 2) return;
  const std::string& first = options.ranges[0].name;
  const std::string& second = options.ranges[1].name;
  if (options.ranges.size() > 2) throw UsageError("--search takes at most two names");
  if (first == second) throw UsageError(fmt::format("--search: {} is named twice", first));
  for (const std::string& word : words)
    if (word.find("{}") != std::string::npos)
      throw UsageError(
          fmt::format("with two names to --search, write {{{}}} and {{{}}} instead of {{}}", first, second));
}

SearchReport run_search(const SearchOptions& options, const Setup& setup, const std::vector<std::string>& words,
                        const OnRun& on_run) {
  return Search(options, setup, words, {}, on_run).run();
}

rehearse::FrontierReport run_frontier(const SearchOptions& options, const Setup& setup,
                                      const std::vector<std::string>& words, const OnRun& on_run) {
  SearchOptions inner = options;
  const SearchRange& outer = options.ranges[1];
  rehearse::FrontierReport report{.range = outer};
  for (const std::uint64_t value : rehearse::doublings(outer)) {
    Setup part = setup;
    part.output /= fmt::format("{}-{}", outer.name, value);
    const Variables fixed{{outer.name, std::to_string(value)}};
    report.rows.push_back(
        {value, Search(inner, part, rehearse::with_value(words, outer.name, value), fixed, on_run).run()});
    const SearchReport& row = report.rows.back().search;
    if (!row.has_answer || !row.largest) break;
    inner.ranges.front().high = *row.largest; // with more of the second no more of the first fits
  }
  return report;
}

} // namespace memviz::cli
