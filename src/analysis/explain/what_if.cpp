#include "memviz/what_if.hpp"

#include "analysis/explain/allocator_model.hpp"
#include "analysis/explain/cache_release.hpp"
#include "analysis/explain/model_replay.hpp"
#include "analysis/explain/trial.hpp"

#include <algorithm>
#include <span>

namespace memviz {

namespace {

std::uint64_t reserved_at(const MemoryMap& memory, DeviceId device) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : memory.segments_of(device))
    bytes += segment.total_bytes;
  return bytes;
}

class Questions {
public:
  Questions(const LeadUp& lead_up, const Question& question)
      : lead_up_(lead_up), request_(question.request), settings_(question.settings), fidelity_(question.fidelity),
        verdict_(question.verdict), line_bytes_(question.line_bytes), rest_(question.rest),
        reserved_bytes_(reserved_at(lead_up.state, lead_up.device)),
        had_private_pools_(had_private_pools(lead_up, request_)) {
    for (const Segment& segment : lead_up.state.segments_of(lead_up.device)) {
      has_private_pools_ |= segment.pool.is_private();
      if (!first_stream_) first_stream_ = segment.stream;
      has_streams_ |= segment.stream != *first_stream_;
    }
    if (request_) release_ = release_before_failure(lead_up, *request_, settings_);
  }

  [[nodiscard]] WhatIf expandable() const {
    WhatIf answer{.circumstance = Circumstance::expandable_segments};
    if (settings_.expandable_segments) {
      answer.outcome = Outcome::no_matter;
      return answer;
    }
    if (fidelity_.reproduces() && has_start() && lead_up_.may_have_lost_events) {
      answer.proviso = Proviso::lost_events;
      return answer;
    }
    ReplayPlan plan = recorded_plan();
    plan.settings.expandable_segments = true;
    return answered(answer.circumstance, plan, Start::packed);
  }

  [[nodiscard]] WhatIf one_stream() const {
    ReplayPlan plan = recorded_plan();
    plan.only_stream = request_ ? request_->stream : 0;
    return answered(Circumstance::one_stream, plan, Start::changed);
  }

  [[nodiscard]] WhatIf no_private_pools() const {
    ReplayPlan plan = recorded_plan();
    plan.no_private_pools = true;
    return answered(Circumstance::no_private_pools, plan, Start::changed);
  }

  /// Answers from the state alone, which has everything that the model needs.
  [[nodiscard]] WhatIf empty_cache() const {
    WhatIf answer{.circumstance = Circumstance::empty_cache};
    AllocatorModel model(settings_);
    for (const Segment& segment : lead_up_.state.segments_of(lead_up_.device)) {
      // The file does not show whether memory that no block covers is free.
      if (!request_ && segment.uncovered_bytes > 0) return answer;
      model.adopt(segment, lead_up_.state.blocks_of(segment),
                  {segment.pool, segment.stream, is_small_segment(segment)});
    }
    model.release_cached();
    // With max_split_size, a request in a private pool makes it release large blocks, which empty_cache() does not.
    const bool gives_own_back = request_ && request_->pool.is_private() && settings_.max_split_bytes != kNoSplitLimit;
    if (!gives_own_back) answer.reserved_bytes = model.reserved_bytes();
    if (!is_clear()) return answer;
    if (!request_)
      answer.outcome = model.reserved_bytes() < reserved_bytes_ ? Outcome::fits : Outcome::no_matter;
    else
      answer.outcome = Trial(lead_up_.state, lead_up_.device, *request_, settings_).fits_without({})
                           ? Outcome::fits
                           : Outcome::does_not_fit;
    return answer;
  }

  [[nodiscard]] WhatIf without_blocks() const {
    WhatIf answer{.circumstance = Circumstance::without_blocks};
    if (!is_clear()) return answer;
    // If memory is full, large blocks matter; if it is fragmented, the small ones between free ranges do.
    const Smallest smallest =
        verdict_ == Verdict::exhaustion || verdict_ == Verdict::outside ? Smallest::count : Smallest::bytes;
    const auto search = [&](bool releases_cache) {
      return blocks_in_the_way(lead_up_.state, lead_up_.device, *request_, settings_,
                               {smallest, releases_cache, line_bytes_});
    };
    answer.blocks = search(release_ != CacheRelease::not_done);
    for (const std::uint32_t block : answer.blocks)
      answer.blocks_bytes += lead_up_.state.blocks[block].size_bytes;
    answer.outcome = answer.blocks.empty() ? Outcome::does_not_fit : Outcome::fits;
    if (answer.blocks.empty() && has_private_pools_ && release_ != CacheRelease::not_done) {
      answer.outcome = Outcome::not_offered; // an abandoned private pool releases memory
      answer.proviso = Proviso::capture;
    }
    const bool depends =
        release_ == CacheRelease::unknown && !answer.blocks.empty() &&
        !Trial(lead_up_.state, lead_up_.device, *request_, settings_, false).fits_without(answer.blocks);
    if (depends) {
      answer.outcome = Outcome::at_best;
      answer.proviso = Proviso::capture;
    }
    if (answer.outcome == Outcome::fits) answer.prospect = prospect_without(answer.blocks);
    return answer;
  }

  /// Replays with requests rounded to multiples of 512 bytes only.
  [[nodiscard]] WhatIf no_rounding() const {
    ReplayPlan plan = recorded_plan();
    plan.settings.roundup_divisions = {};
    WhatIf answer = answered(Circumstance::no_rounding, plan, Start::as_recorded);
    if (!request_ || answer.outcome == Outcome::not_offered || !answer.failed_event.is_none()) return answer;
    // The file records the rounded request, not the original one. A smaller one is not always easier to serve: up to 1
    // and to 10 MiB the allocator requests segments of fixed sizes from the device.
    Request smallest = *request_;
    smallest.bytes = smallest_request_bytes(settings_, request_->bytes);
    const WhatIf other = answered(Circumstance::no_rounding, plan, Start::as_recorded, smallest);
    if (other.outcome == answer.outcome) return answer;
    answer.outcome = Outcome::not_offered;
    answer.proviso = Proviso::request_size;
    return answer;
  }

  /// With expandable segments, small requests do not use large free blocks, and new pages are mapped for them
  /// (https://github.com/pytorch/pytorch/issues/193400).
  [[nodiscard]] WhatIf no_split_limit() const {
    ReplayPlan plan = recorded_plan();
    plan.settings.max_split_bytes = kNoSplitLimit;
    return answered(Circumstance::no_split_limit, plan, Start::as_recorded);
  }
  [[nodiscard]] bool asks_no_split_limit() const {
    return settings_.expandable_segments && settings_.max_split_bytes != kNoSplitLimit;
  }

  /// The largest size changes least. Each size costs a replay, so there are few.
  [[nodiscard]] WhatIf max_split_size() const {
    WhatIf answer{.circumstance = Circumstance::max_split_size};
    for (const std::uint64_t bytes : kSplitSizesBytes) {
      ReplayPlan plan = recorded_plan();
      plan.settings.max_split_bytes = bytes;
      answer = answered(answer.circumstance, plan, Start::as_recorded);
      answer.value_bytes = bytes;
      if (answer.outcome == Outcome::fits || answer.outcome == Outcome::not_offered) break;
    }
    return answer;
  }
  /// Whether to test fragmentation without splits of large blocks. Expandable segments always split.
  [[nodiscard]] bool asks_max_split_size() const {
    const bool is_in_pieces = verdict_ == Verdict::fragmentation || verdict_ == Verdict::rounding;
    return request_ && is_in_pieces && settings_.max_split_bytes == kNoSplitLimit && !settings_.expandable_segments;
  }

  [[nodiscard]] bool has_streams() const { return has_streams_; }
  [[nodiscard]] bool has_private_pools() const { return has_private_pools_; }

private:
  /// Returns PyTorch's memory plus the free memory of the device when the request failed.
  [[nodiscard]] std::uint64_t limit_bytes() const {
    return reserved_bytes_ + (request_ ? request_->device_free_bytes.value_or(0) : kMaxTotalBytes);
  }
  /// Whether the device's free memory was available to the request, under rules that the model follows.
  [[nodiscard]] bool is_clear() const {
    return settings_.not_modelled.empty() && (!request_ || verdict_ != Verdict::unclear);
  }
  [[nodiscard]] bool has_start() const { return !lead_up_.start.segments_of(lead_up_.device).empty(); }

  [[nodiscard]] ReplayPlan recorded_plan() const {
    ReplayPlan plan;
    plan.settings = settings_;
    if (rest_ != nullptr) plan.rest = rest_->events;
    return plan;
  }

  /// Returns what follows the request if these blocks are freed just before it.
  [[nodiscard]] Prospect prospect_without(const std::vector<std::uint32_t>& blocks) const {
    ReplayPlan plan = recorded_plan();
    if (plan.rest.empty() || !fidelity_.reproduces() || missing_fact(plan, request_) != Proviso::none)
      return Prospect::unknown;
    std::vector<std::uint64_t> addresses;
    for (const std::uint32_t block : blocks)
      addresses.push_back(lead_up_.state.blocks[block].address);
    plan.freed_addresses = addresses;
    plan.limit_bytes = limit_bytes();
    plan.leaves_releases = true;
    return prospect_of(replay_model(lead_up_, plan, request_));
  }

  [[nodiscard]] Prospect prospect_of(const ReplayOutcome& outcome) const {
    if (rest_ == nullptr || rest_->events.empty() || !outcome.request_fits.value_or(false)) return Prospect::unknown;
    if (!outcome.rest_fits) return Prospect::falls_short;
    return rest_->need.growth_bytes > 0 ? Prospect::grows : Prospect::goes_on;
  }

  /// Tries the setting from the first event on. If that does not help, but would have if it had been set earlier, that
  /// is the answer.
  [[nodiscard]] WhatIf answered(Circumstance circumstance, ReplayPlan plan, Start before,
                                const std::optional<Request>& request) const {
    WhatIf answer{.circumstance = circumstance};
    if (!fidelity_.reproduces() || !is_clear()) return answer;
    if (request_) plan.limit_bytes = limit_bytes();
    plan.leaves_releases = request_.has_value();
    answer = replayed(answer, plan, request);
    if (answer.outcome != Outcome::does_not_fit || !has_start() || before == Start::as_recorded) return answer;
    plan.start = before;
    WhatIf best = replayed(answer, plan, request);
    if (best.outcome != Outcome::fits) return answer;
    best.outcome = Outcome::at_best;
    best.proviso = Proviso::start;
    return best;
  }
  [[nodiscard]] WhatIf answered(Circumstance circumstance, const ReplayPlan& plan, Start before) const {
    return answered(circumstance, plan, before, request_);
  }

  [[nodiscard]] WhatIf replayed(WhatIf answer, const ReplayPlan& plan, const std::optional<Request>& request) const {
    answer.outcome = Outcome::not_offered;
    answer.proviso = missing_fact(plan, request);
    if (answer.proviso != Proviso::none) return answer;
    const ReplayOutcome outcome = replay_model(lead_up_, plan, request);
    if (!outcome.has_unknown_release) return answer_of(answer, outcome, request);
    answer.proviso = Proviso::release;
    return answer;
  }

  /// Returns the fact that a replay needs and the file does not show.
  [[nodiscard]] Proviso missing_fact(const ReplayPlan& plan, const std::optional<Request>& request) const {
    const bool may_wait = !plan.no_private_pools || had_waiting_frees(lead_up_);
    if (had_private_pools_ && may_wait) return Proviso::capture;
    const auto start = lead_up_.start.segments_of(lead_up_.device);
    const bool has_pages = std::ranges::any_of(start, [](const Segment& segment) { return segment.is_expandable; });
    const bool needs_pages = request && plan.settings.expandable_segments && plan.start != Start::packed;
    return needs_pages && has_pages ? Proviso::pages : Proviso::none;
  }

  [[nodiscard]] WhatIf answer_of(WhatIf answer, const ReplayOutcome& outcome,
                                 const std::optional<Request>& request) const {
    answer.reserved_bytes = outcome.reserved_bytes;
    answer.failed_event = outcome.failed_event;
    const bool is_better = request ? outcome.request_fits.value_or(false)
                                   : outcome.failed_event.is_none() && outcome.reserved_bytes < reserved_bytes_;
    answer.outcome = is_better ? Outcome::fits : Outcome::does_not_fit;
    answer.prospect = prospect_of(outcome);
    return answer;
  }

  const LeadUp& lead_up_;
  const std::optional<Request>& request_;
  const AllocatorSettings& settings_;
  const Fidelity& fidelity_;
  Verdict verdict_;
  std::span<const std::uint64_t> line_bytes_;
  const PassRest* rest_;
  std::uint64_t reserved_bytes_;
  std::optional<std::int64_t> first_stream_;
  bool has_streams_ = false;
  bool has_private_pools_ = false;
  bool had_private_pools_; ///< at any time
  CacheRelease release_ = CacheRelease::done;
};

} // namespace

std::string_view circumstance_name(Circumstance circumstance) {
  switch (circumstance) {
  case Circumstance::expandable_segments: return "expandable_segments";
  case Circumstance::empty_cache: return "empty_cache";
  case Circumstance::without_blocks: return "without_blocks";
  case Circumstance::one_stream: return "one_stream";
  case Circumstance::no_private_pools: return "no_private_pools";
  case Circumstance::no_rounding: return "no_rounding";
  case Circumstance::no_split_limit: return "no_split_limit";
  case Circumstance::max_split_size: return "max_split_size";
  }
  return "";
}

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
  case Outcome::fits: return "fits";
  case Outcome::does_not_fit: return "does_not_fit";
  case Outcome::at_best: return "at_best";
  case Outcome::not_offered: return "not_offered";
  case Outcome::no_matter: return "no_matter";
  }
  return "";
}

std::string_view proviso_name(Proviso proviso) {
  switch (proviso) {
  case Proviso::none: return "";
  case Proviso::start: return "start";
  case Proviso::capture: return "capture";
  case Proviso::request_size: return "request_size";
  case Proviso::release: return "release";
  case Proviso::pages: return "pages";
  case Proviso::lost_events: return "lost_events";
  }
  return "";
}

std::string_view prospect_name(Prospect prospect) {
  switch (prospect) {
  case Prospect::unknown: return "unknown";
  case Prospect::goes_on: return "goes_on";
  case Prospect::grows: return "grows";
  case Prospect::falls_short: return "falls_short";
  }
  return "";
}

std::vector<WhatIf> what_if(const LeadUp& lead_up, const Question& question) {
  const Questions questions(lead_up, question);
  std::vector<WhatIf> answers{questions.expandable(), questions.empty_cache()};
  // During a capture no memory is released, so no block is in the way of what empty_cache() would have made.
  const bool is_enough = question.request && answers.back().outcome == Outcome::fits;
  if (question.request && !is_enough) answers.push_back(questions.without_blocks());
  if (questions.has_streams()) answers.push_back(questions.one_stream());
  if (questions.has_private_pools()) answers.push_back(questions.no_private_pools());
  if (question.settings.rounds_up()) answers.push_back(questions.no_rounding());
  if (questions.asks_no_split_limit()) answers.push_back(questions.no_split_limit());
  if (questions.asks_max_split_size()) answers.push_back(questions.max_split_size());
  return answers;
}

} // namespace memviz
