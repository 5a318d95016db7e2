#pragma once

// `memviz rehearse --compare-with` and `--levers`: a program -> the program as it is, and with other settings or
// arguments.

#include "answers/option.hpp"
#include "cli/rehearse_search.hpp"
#include "memviz/fit.hpp"
#include "rehearse/change.hpp"
#include "rehearse/rehearsal_run.hpp"

#include <string>
#include <vector>

namespace memviz::cli {

struct VariantOptions {
  std::vector<rehearse::RunChange> changes; ///< of --compare-with
  bool tries_levers = false;                ///< --levers: PyTorch's allocator settings as well
};

[[nodiscard]] OptionList<VariantOptions> variant_options();

/// Whether there is anything to compare with.
[[nodiscard]] bool has_variants(const VariantOptions& options);

/// Rehearses the program as it is, then with each change; without any, and if it does not fit, with what may let it go
/// on. Throws as rehearse() does.
[[nodiscard]] rehearse::VariantsReport run_variants(const VariantOptions& options, const rehearse::Setup& setup,
                                                    const std::vector<std::string>& words, const OnRun& on_run);

} // namespace memviz::cli
