#include "analysis/steps/step_floors.hpp"

#include "base/number_map.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace memviz {

namespace {

constexpr std::uint32_t kBefore = 0xFFFFFFFF; ///< no step has begun
constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

class StepReplay {
public:
  StepReplay(const FrameTable& frames, const EventTable& events, const std::vector<std::uint64_t>& starts,
             std::uint64_t baseline_bytes)
      : frames_(frames), events_(events), starts_(starts), of_stack_(frames.stack_count(), kUnknown),
        live_bytes_(baseline_bytes) {}

  void begin_step() {
    close_step();
    step_ = step_ == kBefore ? 0 : step_ + 1;
    if (step_ == 0) {
      for (KindFloors& kind : result_.kinds)
        kind.before_bytes = kind.end_bytes;
    }
    result_.floor_bytes.push_back(live_bytes_);
    result_.peak_bytes.push_back(live_bytes_);
  }

  void take(std::size_t index) {
    const std::uint64_t address = events_.address(index);
    switch (events_.action(index)) {
    case Action::alloc:
      // A second alloc at a live address: the free in between is not in the trace.
      if (const auto lost = live_.remove(address)) release(static_cast<std::size_t>(*lost), kNoFrames);
      live_.insert(address, index);
      hold(index);
      break;
    case Action::free_completed:
      if (const auto alloc = live_.remove(address)) {
        release(static_cast<std::size_t>(*alloc), events_.stack(index));
      } else {
        live_bytes_ -= std::min(live_bytes_, events_.size_bytes(index));
      }
      break;
    default: return;
    }
    if (step_ == kBefore) return;
    result_.floor_bytes.back() = std::min(result_.floor_bytes.back(), live_bytes_);
    result_.peak_bytes.back() = std::max(result_.peak_bytes.back(), live_bytes_);
  }

  StepFloors finish() {
    close_step();
    add_survivors();
    return std::move(result_);
  }

private:
  /// The blocks of one kind that the current step frees.
  struct Freed {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    StackId stack = kNoFrames;
  };

  std::uint32_t kind_of(std::size_t alloc) {
    const StackId stack = events_.stack(alloc);
    if (const std::uint32_t known = of_stack_[stack.value]; known != kUnknown) return known;
    const AllocationKind kind = allocation_kind(frames_, stack, events_.size_bytes(alloc));
    const auto [entry, is_new] = numbers_.try_emplace(kind, static_cast<std::uint32_t>(result_.kinds.size()));
    if (is_new) {
      result_.kinds.emplace_back().kind = kind;
      freed_.emplace_back();
    }
    if (kind.stack != kNoFrames) of_stack_[stack.value] = entry->second;
    return entry->second;
  }

  /// Returns the sample of this step, created if needed.
  StepSample* sample_of(KindFloors& kind) {
    if (step_ == kBefore) return nullptr;
    if (kind.samples.empty() || kind.samples.back().step != step_) {
      kind.samples.push_back({step_, kind.end_bytes, kind.end_bytes, kind.end_bytes});
      touched_.push_back(static_cast<std::uint32_t>(&kind - result_.kinds.data()));
    }
    return &kind.samples.back();
  }

  void hold(std::size_t alloc) {
    KindFloors& kind = result_.kinds[kind_of(alloc)];
    static_cast<void>(sample_of(kind));
    const std::uint64_t bytes = events_.size_bytes(alloc);
    kind.end_bytes += bytes;
    ++kind.end_blocks;
    live_bytes_ += bytes;
    if (step_ != kBefore) result_.allocated_bytes += bytes;
  }

  void release(std::size_t alloc, StackId free_stack) {
    const std::uint32_t number = kind_of(alloc);
    KindFloors& kind = result_.kinds[number];
    StepSample* sample = sample_of(kind);
    const std::uint64_t bytes = events_.size_bytes(alloc);
    kind.end_bytes -= bytes;
    --kind.end_blocks;
    if (step_ != kBefore) kind.lifetimes.add(steps_since(birth_step(alloc)));
    live_bytes_ -= std::min(live_bytes_, bytes);
    if (sample == nullptr) return;
    sample->floor_bytes = std::min(sample->floor_bytes, kind.end_bytes);
    result_.freed_bytes += bytes;
    freed_[number].bytes += bytes;
    ++freed_[number].blocks;
    freed_[number].stack = free_stack;
  }

  /// Returns kBefore if that is before the first step.
  [[nodiscard]] std::uint32_t birth_step(std::size_t alloc) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), alloc);
    return next == starts_.begin() ? kBefore : static_cast<std::uint32_t>(next - starts_.begin() - 1);
  }

  /// Blocks from before the first step are at least one step older than it.
  [[nodiscard]] std::uint32_t steps_since(std::uint32_t birth) const {
    return birth == kBefore ? step_ + 1 : step_ - birth;
  }

  void add_survivors() {
    if (starts_.empty()) return;
    for (auto i = static_cast<std::size_t>(starts_.front()); i < events_.size(); ++i) {
      if (events_.action(i) != Action::alloc || live_.find(events_.address(i)) != i) continue;
      auto& survivors = result_.kinds[kind_of(i)].survivors;
      const std::uint32_t step = birth_step(i);
      if (survivors.empty() || survivors.back().step != step) survivors.push_back({step, 0});
      survivors.back().bytes += events_.size_bytes(i);
    }
  }

  void close_step() {
    for (const std::uint32_t number : touched_) {
      KindFloors& kind = result_.kinds[number];
      kind.samples.back().end_bytes = kind.end_bytes;
      Freed& freed = freed_[number];
      if (freed.bytes > kind.burst.bytes) kind.burst = {step_, freed.bytes, freed.blocks, freed.stack};
      freed = {};
    }
    touched_.clear();
  }

  const FrameTable& frames_;
  const EventTable& events_;
  const std::vector<std::uint64_t>& starts_;
  StepFloors result_;
  std::map<AllocationKind, std::uint32_t> numbers_;
  std::vector<std::uint32_t> of_stack_; ///< by stack: its number if the kind is the stack alone
  std::vector<Freed> freed_;            ///< by kind
  std::vector<std::uint32_t> touched_;  ///< kinds that changed in this step
  NumberMap live_;                      ///< address -> index of the alloc
  std::uint64_t live_bytes_;
  std::uint32_t step_ = kBefore;
};

} // namespace

void Lifetimes::add(std::uint32_t steps) {
  ++counts_[std::min<std::size_t>(std::bit_width(steps), counts_.size() - 1)];
}

std::size_t Lifetimes::long_life() const {
  constexpr std::uint64_t kFew = 100; // one in so many
  const std::uint64_t all = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  std::uint64_t longer = 0;
  for (std::size_t i = counts_.size(); i-- > 0;) {
    longer += counts_[i];
    if (longer > all / kFew) return (std::size_t{1} << i) - 1;
  }
  return 0;
}

std::vector<std::uint64_t> KindFloors::survivors_by_step(std::size_t steps) const {
  std::vector<std::uint64_t> result(steps);
  for (const Survivors& born : survivors)
    result[born.step] = born.bytes;
  return result;
}

std::vector<std::uint64_t> KindFloors::by_step(std::uint64_t StepSample::*bytes, std::size_t steps) const {
  std::vector<std::uint64_t> result;
  result.reserve(steps);
  std::uint64_t now_bytes = before_bytes;
  for (const StepSample& sample : samples) {
    result.resize(sample.step, now_bytes);
    result.push_back(sample.*bytes);
    now_bytes = sample.end_bytes;
  }
  result.resize(steps, now_bytes);
  return result;
}

StepFloors step_floors(const FrameTable& frames, const EventTable& events, const std::vector<std::uint64_t>& starts,
                       std::uint64_t baseline_bytes) {
  StepReplay replay(frames, events, starts, baseline_bytes);
  std::size_t next = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (; next < starts.size() && starts[next] <= i; ++next)
      replay.begin_step();
    replay.take(i);
  }
  return replay.finish();
}

} // namespace memviz
