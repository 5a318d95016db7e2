#include "story/pass_words.hpp"

#include "memviz/format.hpp"
#include "story/explain_figures.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

namespace {

/// Returns what is free while the pass holds most, if these blocks are freed.
std::uint64_t left_bytes(const PassNeed& pass, const WhatIf& answer) {
  const std::uint64_t available_bytes = pass.available_bytes + answer.blocks_bytes;
  return available_bytes - std::min(available_bytes, pass.to_come_bytes);
}

/// Returns the bytes that the pass still lacks, at least, with a change that makes room for the request.
std::uint64_t lacking_with(const DeviceExplanation& device, const WhatIf& answer) {
  const PassNeed& pass = *device.pass;
  if (pass.to_come_bytes <= device.request->bytes) return 0; // nothing is known except that it fits
  const std::uint64_t freed_bytes =
      answer.blocks_bytes + (answer.circumstance == Circumstance::no_rounding ? device.ledger.rounding_bytes : 0);
  return pass.missing_bytes() - std::min(pass.missing_bytes(), freed_bytes);
}

std::string grows_text(const PassNeed& pass) {
  if (pass.growth_bytes == 0) return "";
  return fmt::format(" At this point {} more is alive than one pass before.", format_bytes(pass.growth_bytes));
}

std::string missing_text(const PassNeed& pass) {
  if (pass.missing_bytes() == 0) return fmt::format("{} is free", format_bytes(pass.available_bytes));
  return fmt::format("{} is free, so {} is missing", format_bytes(pass.available_bytes),
                     format_bytes(pass.missing_bytes()));
}

} // namespace

std::string pass_text(const DeviceExplanation& device) {
  if (!device.pass || device.first_step) return "";
  const PassNeed& pass = *device.pass;
  const std::string to_come = format_bytes(pass.to_come_bytes);
  switch (pass.basis) {
  case PassBasis::no_pass: return "";
  case PassBasis::pass_before:
    return fmt::format("After the same request the pass before rose by {} in all; {}.{}", to_come, missing_text(pass),
                       grows_text(pass));
  case PassBasis::larger:
    return fmt::format("The pass before asked for less here, and rose by {} in all from here on: this one needs more. "
                       "{} is free.",
                       to_come, format_bytes(pass.available_bytes));
  case PassBasis::no_same_point:
    if (pass.rise_bytes == 0 || pass.to_come_bytes <= device.request->bytes) return "";
    return fmt::format(
        "The pass before rose by {}, this one by {} so far. If it rises as far, {} is still to come; {}.",
        format_bytes(pass.rise_bytes), format_bytes(pass.risen_bytes), to_come, missing_text(pass));
  }
  return "";
}

std::uint64_t lacking_bytes(const DeviceExplanation& device) {
  const std::uint64_t missing_bytes = device.request ? short_bytes(device) : 0;
  const std::uint64_t without_cause_bytes = device.causes.empty() ? 0 : device.causes.front().without.missing_bytes;
  const std::uint64_t of_pass_bytes = device.pass ? device.pass->missing_bytes() : 0;
  return std::max({missing_bytes, of_pass_bytes, without_cause_bytes});
}

bool may_go_on(const DeviceExplanation& device, const WhatIf& answer) {
  if (!device.pass || answer.circumstance == Circumstance::empty_cache) return true;
  if (answer.prospect != Prospect::unknown) return answer.prospect == Prospect::goes_on;
  return answer.circumstance != Circumstance::without_blocks && device.pass->basis != PassBasis::larger &&
         lacking_with(device, answer) == 0;
}

std::string effect_text(const DeviceExplanation& device, const WhatIf& answer) {
  if (!device.pass || answer.circumstance == Circumstance::empty_cache) return "this request fits";
  if (answer.prospect == Prospect::goes_on)
    return fmt::format("the program goes on as in the pass before, with {} left",
                       format_bytes(left_bytes(*device.pass, answer)));
  return device.pass->passes == 0 ? "this request fits; the rest of the pass is unknown, as none has ended before"
                                  : "this request fits; the rest of the pass is unknown, as none before made it";
}

std::string shortfall_text(const DeviceExplanation& device, const WhatIf& answer) {
  if (!device.pass || answer.outcome != Outcome::fits) return "";
  const PassNeed& pass = *device.pass;
  if (answer.prospect == Prospect::grows)
    return fmt::format(", but each pass leaves {} more behind", format_bytes(pass.growth_bytes));
  const std::uint64_t lacking = lacking_with(device, answer);
  if (answer.prospect == Prospect::falls_short && lacking == 0) return ", but a later request of the pass would not";
  const bool falls_short = answer.prospect == Prospect::falls_short || answer.prospect == Prospect::unknown;
  if (answer.prospect == Prospect::unknown && lacking == 0) return "; the rest of the pass is unknown";
  if (!falls_short || lacking == 0) return "";
  return fmt::format(", but {} needs {}{} more", device.first_step ? "the step" : "the pass",
                     pass.is_least() ? "at least " : "", format_bytes(lacking));
}

} // namespace memviz
