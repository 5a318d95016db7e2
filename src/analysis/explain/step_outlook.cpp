#include "analysis/explain/step_outlook.hpp"

#include "base/number_map.hpp"

#include <algorithm>

namespace memviz {

StepEffect step_effect(const StepOutlook& outlook) {
  constexpr std::uint64_t kMargin = 16;
  StepEffect effect;
  effect.is_known = outlook.room_bytes > 0;
  if (!effect.is_known) return effect;
  const auto needed_bytes = [&](std::uint64_t divisor) {
    return outlook.lasting_bytes + outlook.fixed_bytes +
           std::max(outlook.kept_bytes + outlook.pass_bytes / divisor, outlook.update_bytes);
  };
  const std::uint64_t all_bytes = needed_bytes(1);
  effect.missing_bytes = all_bytes - std::min(all_bytes, outlook.room_bytes);
  effect.left_bytes = outlook.room_bytes - std::min(all_bytes, outlook.room_bytes);
  for (const std::uint64_t divisor : {1U, 2U, 4U, 8U}) {
    effect.batch_divisor = divisor;
    if (needed_bytes(divisor) <= outlook.room_bytes - outlook.room_bytes / kMargin) return effect;
  }
  effect.batch_divisor = 0;
  return effect;
}

PassPeak pass_peak(const LeadUp& lead_up, std::uint64_t request_bytes, const PassQuestions& questions) {
  const EventTable& events = lead_up.events;
  PassPeak peak;
  NumberMap counted; // address -> bytes
  std::uint64_t live_bytes = 0;
  std::uint64_t gradient_bytes = 0;
  bool has_begun = false;
  for (std::size_t i = 0; i < lead_up.event_count; ++i) {
    if (events.action(i) == Action::alloc) {
      const bool is_of_pass = questions.is_of_pass(i);
      if (is_of_pass && !has_begun) peak.before_bytes = live_bytes;
      has_begun |= is_of_pass;
      peak.has_backward |= is_of_pass && questions.is_backward(i);
      if (questions.is_lasting(i) || questions.is_left_out(i)) continue;
      const std::uint64_t bytes = events.size_bytes(i);
      if (is_of_pass) peak.largest_bytes = std::max(peak.largest_bytes, bytes);
      counted.insert(events.address(i), bytes);
      live_bytes += bytes;
      if (questions.is_gradient(i)) gradient_bytes += bytes;
      if (!has_begun || live_bytes <= peak.bytes) continue;
      peak.bytes = live_bytes;
      peak.kept_bytes = peak.before_bytes + gradient_bytes;
    } else if (events.action(i) == Action::free_completed) {
      live_bytes -= std::min(live_bytes, counted.remove(events.address(i)).value_or(0));
    }
  }
  if (live_bytes + request_bytes <= peak.bytes) return peak;
  peak.bytes = live_bytes + request_bytes;
  peak.kept_bytes = peak.before_bytes + gradient_bytes;
  return peak;
}

} // namespace memviz
