#include "memviz/environment.hpp"

#include "base/printable.hpp"
#include "base/saturating.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz {
namespace {

std::string setting_text(const std::optional<std::string>& value, Quote quote) {
  constexpr std::size_t kMostColumns = 40;
  if (!value) return "not recorded";
  return value->empty() ? "not set" : quote(elided(printable(*value), kMostColumns));
}

/// Returns the reason why the steps of a side are unknown; "" if they are known.
std::string unknown_steps(const Steps& steps, std::uint64_t count, std::string_view side) {
  if (count == 0) return fmt::format("the steps are unknown {}", side);
  return steps.is_guess() ? fmt::format("the steps {} are a guess", side) : std::string();
}

} // namespace

std::string environment_text(const std::vector<EnvironmentChange>& changes, Quote quote) {
  constexpr std::size_t kMost = 6;
  constexpr std::size_t kSettingColumns = 48;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(kMost, changes.size()); ++i)
    texts.push_back(fmt::format("{} {} before, {} after", quote(elided(printable(changes[i].name), kSettingColumns)),
                                setting_text(changes[i].before, quote), setting_text(changes[i].after, quote)));
  if (texts.empty()) return "";
  if (changes.size() > kMost)
    texts.push_back(fmt::format("and {}", format_counted(changes.size() - kMost, "more setting")));
  return fmt::format("made with other settings or versions: {}", fmt::join(texts, "; "));
}

std::string steps_difference_text(const StepComparison& steps, bool names_device) {
  const std::string device = names_device ? device_name(steps) + ": " : std::string();
  if (steps.rows.empty()) {
    std::string reason = unknown_steps(steps.before, steps.before_steps, "before");
    const std::string other = unknown_steps(steps.after, steps.after_steps, "after");
    if (!other.empty()) reason += (reason.empty() ? "" : ", and ") + other;
    if (reason.empty()) reason = "no step is recorded on both sides";
    return fmt::format("{}steps cannot be compared: {} (use --steps to set where they begin)", device, reason);
  }
  if (!steps.most)
    return fmt::format("{}the peaks of {} are the same", device, format_counted(steps.rows.size(), "step"));
  const StepChange& most = steps.rows[*steps.most];
  return fmt::format("{}they differ most in step {}: its peak is {} {} ({} before, {} after)", device,
                     format_count(most.step), format_bytes(magnitude(most.peak_bytes())),
                     most.peak_bytes() > 0 ? "higher" : "lower", format_bytes(most.before.peak_bytes),
                     format_bytes(most.after.peak_bytes));
}

} // namespace memviz
