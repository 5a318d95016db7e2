#include "cli/rehearse_variants.hpp"

#include "rehearse/tries.hpp"

#include <chrono>
#include <cstddef>
#include <fmt/format.h>

namespace memviz::cli {

using rehearse::RunChange;
using rehearse::Setup;
using rehearse::VariantsReport;

OptionList<VariantOptions> variant_options() {
  return {
      {{"compare-with", '\0', "NAME=VALUE|ARGS",
        "run it again with this in the environment or, if it begins with '-', with these arguments after the program's "
        "own (--compare-with=--checkpointing), and report what changes; may be given several times",
        true},
       [](VariantOptions& options, const std::string& word) {
         options.changes.push_back(rehearse::parse_change("compare-with", word));
       }},
      flag({"levers", '\0', "",
            "run it again with each setting of PyTorch's allocator that can save memory (expandable segments, maximum "
            "split size, rounding, garbage collection), and report what each changes"},
           &VariantOptions::tries_levers),
  };
}

bool has_variants(const VariantOptions& options) {
  return options.tries_levers || !options.changes.empty();
}

VariantsReport run_variants(const VariantOptions& options, const Setup& setup, const std::vector<std::string>& words,
                            const OnRun& on_run) {
  const auto begin = std::chrono::steady_clock::now();
  VariantsReport report{.usual = rehearse::rehearse(setup, words, {})};
  if (!has_variants(options)) {
    const auto took = std::chrono::steady_clock::now() - begin;
    rehearse::try_changes(setup, words, report.usual, std::chrono::duration_cast<std::chrono::seconds>(took));
    return report;
  }
  on_run("as it is", report.usual);
  std::vector<RunChange> changes = options.changes;
  if (options.tries_levers)
    for (RunChange& lever : rehearse::allocator_levers())
      changes.push_back(std::move(lever));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Setup variant = setup;
    variant.output = setup.output / fmt::format("variant-{}", i + 1);
    report.variants.push_back({changes[i].name, rehearse::rehearse(variant, rehearse::with_arguments(words, changes[i]),
                                                                   changes[i].variables)});
    on_run(changes[i].name, report.variants.back().verdict);
  }
  return report;
}

} // namespace memviz::cli
