#include "memviz/what_if.hpp"

#include "analysis/explain/allocator_model.hpp"
#include "analysis/explain/model_replay.hpp"

#include <algorithm>

namespace memviz {

namespace {

/// The state itself in the model, with some blocks free, and cached memory given back if PyTorch would.
class Trial {
public:
  Trial(const Recording& recording, const Request& request, const AllocatorSettings& settings,
        std::uint64_t limit_bytes)
      : recording_(recording), request_(request), model_(settings, limit_bytes) {}

  [[nodiscard]] bool fits_without(const std::vector<std::uint32_t>& blocks) {
    const Snapshot& state = recording_.state;
    std::vector<AllocatorModel::Handle> freed;
    for (const Segment& segment : state.segments_of(recording_.device)) {
      const auto handles =
          model_.adopt(segment, state.blocks_of(segment), {segment.pool, segment.stream, is_small_segment(segment)});
      for (std::size_t i = 0; i < handles.size(); ++i)
        if (std::binary_search(blocks.begin(), blocks.end(), segment.first_block + i)) freed.push_back(handles[i]);
    }
    for (const AllocatorModel::Handle handle : freed)
      model_.free(handle);
    return model_.alloc(request_.bytes, request_.stream, request_.pool).has_value();
  }

private:
  const Recording& recording_;
  const Request& request_;
  AllocatorModel model_;
};

std::uint64_t reserved_at(const Snapshot& state, std::uint32_t device) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : state.segments_of(device))
    bytes += segment.total_bytes;
  return bytes;
}

class Questions {
public:
  Questions(const Recording& recording, const Question& question)
      : recording_(recording), request_(question.request), settings_(question.settings), fidelity_(question.fidelity),
        verdict_(question.verdict), reserved_bytes_(reserved_at(recording.state, recording.device)) {
    for (const Segment& segment : recording.state.segments_of(recording.device)) {
      has_private_pools_ |= segment.pool.is_private();
      if (!first_stream_) first_stream_ = segment.stream;
      has_streams_ |= segment.stream != *first_stream_;
    }
  }

  [[nodiscard]] WhatIf expandable() const {
    WhatIf answer{.circumstance = Circumstance::expandable_segments};
    if (settings_.expandable_segments) {
      answer.outcome = Outcome::no_matter;
      return answer;
    }
    ReplayPlan plan;
    plan.settings = settings_;
    plan.settings.expandable_segments = true;
    // What lived before the first event lies in ordinary segments: as they are, and packed, are the two bounds.
    answer = answered(answer.circumstance, plan);
    if (answer.outcome == Outcome::does_not_fit && has_start()) {
      plan.packed_start = true;
      WhatIf best = answered(answer.circumstance, plan);
      if (best.outcome == Outcome::fits) {
        best.outcome = Outcome::at_best;
        return best;
      }
    }
    return answer;
  }

  [[nodiscard]] WhatIf one_stream() const {
    ReplayPlan plan;
    plan.settings = settings_;
    plan.only_stream = request_ ? request_->stream : 0;
    return answered(Circumstance::one_stream, plan);
  }

  [[nodiscard]] WhatIf no_private_pools() const {
    ReplayPlan plan;
    plan.settings = settings_;
    plan.no_private_pools = true;
    return answered(Circumstance::no_private_pools, plan);
  }

  /// Of the state alone: what the model has to know is in the file.
  [[nodiscard]] WhatIf empty_cache() const {
    WhatIf answer{.circumstance = Circumstance::empty_cache};
    AllocatorModel model(settings_);
    for (const Segment& segment : recording_.state.segments_of(recording_.device)) {
      model.adopt(segment, recording_.state.blocks_of(segment),
                  {segment.pool, segment.stream, is_small_segment(segment)});
    }
    model.release_cached(false);
    answer.reserved_bytes = model.reserved_bytes();
    if (!is_clear()) return answer;
    if (!request_)
      answer.outcome = model.reserved_bytes() < reserved_bytes_ ? Outcome::fits : Outcome::no_matter;
    else
      answer.outcome = Trial(recording_, *request_, settings_, limit_bytes()).fits_without({}) ? Outcome::fits
                                                                                               : Outcome::does_not_fit;
    return answer;
  }

  [[nodiscard]] WhatIf without_blocks() const {
    WhatIf answer{.circumstance = Circumstance::without_blocks};
    if (!is_clear()) return answer;
    // Where memory is full, it is large blocks that count; where it is in pieces, the small ones between them.
    const Smallest smallest =
        verdict_ == Verdict::exhaustion || verdict_ == Verdict::outside ? Smallest::count : Smallest::bytes;
    answer.outcome = Outcome::does_not_fit;
    answer.blocks = blocks_in_the_way(recording_.state, recording_.device, *request_, settings_, smallest);
    for (const std::uint32_t block : answer.blocks)
      answer.blocks_bytes += recording_.state.blocks[block].size_bytes;
    const bool fits =
        !answer.blocks.empty() && Trial(recording_, *request_, settings_, limit_bytes()).fits_without(answer.blocks);
    if (fits)
      answer.outcome = Outcome::fits;
    else
      answer.blocks.clear();
    return answer;
  }

  [[nodiscard]] bool has_streams() const { return has_streams_; }
  [[nodiscard]] bool has_private_pools() const { return has_private_pools_; }

private:
  /// What PyTorch held and the device had left when the request failed.
  [[nodiscard]] std::uint64_t limit_bytes() const {
    return reserved_bytes_ + (request_ ? request_->device_free_bytes.value_or(0) : kMaxTotalBytes);
  }
  /// Whether what the device had free is what the request could have had.
  [[nodiscard]] bool is_clear() const { return !request_ || verdict_ != Verdict::unclear; }
  [[nodiscard]] bool has_start() const { return !recording_.start.segments_of(recording_.device).empty(); }

  [[nodiscard]] WhatIf answered(Circumstance circumstance, ReplayPlan plan) const {
    WhatIf answer{.circumstance = circumstance};
    if (!fidelity_.reproduces() || !is_clear()) return answer;
    if (request_) plan.limit_bytes = limit_bytes();
    const ReplayOutcome outcome = replay_model(recording_, plan, request_);
    answer.reserved_bytes = outcome.reserved_bytes;
    answer.failed_event = outcome.failed_event;
    const bool is_better = request_ ? outcome.request_fits.value_or(false)
                                    : outcome.failed_event < 0 && outcome.reserved_bytes < reserved_bytes_;
    answer.outcome = is_better ? Outcome::fits : Outcome::does_not_fit;
    return answer;
  }

  const Recording& recording_;
  const std::optional<Request>& request_;
  const AllocatorSettings& settings_;
  const Fidelity& fidelity_;
  Verdict verdict_;
  std::uint64_t reserved_bytes_;
  std::optional<std::int64_t> first_stream_;
  bool has_streams_ = false;
  bool has_private_pools_ = false;
};

} // namespace

std::string_view circumstance_name(Circumstance circumstance) {
  switch (circumstance) {
  case Circumstance::expandable_segments: return "expandable_segments";
  case Circumstance::empty_cache: return "empty_cache";
  case Circumstance::without_blocks: return "without_blocks";
  case Circumstance::one_stream: return "one_stream";
  case Circumstance::no_private_pools: return "no_private_pools";
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

std::vector<WhatIf> what_if(const Recording& recording, const Question& question) {
  const Questions questions(recording, question);
  std::vector<WhatIf> answers{questions.expandable(), questions.empty_cache()};
  if (question.request) answers.push_back(questions.without_blocks());
  if (questions.has_streams()) answers.push_back(questions.one_stream());
  if (questions.has_private_pools()) answers.push_back(questions.no_private_pools());
  return answers;
}

} // namespace memviz
