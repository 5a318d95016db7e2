#include "analysis/kinds/kind_watch.hpp"

#include "base/hash.hpp"

#include <algorithm>
#include <utility>

namespace memviz {

namespace {

/// No model has parameters of so many sizes.
constexpr std::size_t kMostSizes = 65536;
constexpr std::size_t kMostFates = std::size_t{1} << 20U;

/// A stack and a size in 64 bits: the size in bytes up to 2 GiB, in units of the allocator's 512 bytes from there.
std::uint64_t number_of(StackId stack, std::uint64_t size_bytes) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 31U;
  const std::uint64_t size = size_bytes < kLarge ? size_bytes : kLarge | std::min(size_bytes >> 9U, kLarge - 1);
  return std::uint64_t{stack.value} << 32U | size;
}

Fate fate_of(const PhaseRun& made, const PhaseRun& gone) {
  if (made.epoch != gone.epoch) return Fate::later;
  if (made.phase == gone.phase) return Fate::in_its_phase;
  return made.phase == Phase::forward && gone.phase == Phase::backward ? Fate::in_backward : Fate::later;
}

/// The word of a number, and its two bits in it: both in one, because another cache line costs more than a collision.
struct TwoBits {
  std::size_t word;
  std::uint64_t bits;

  TwoBits(std::uint64_t hash, std::size_t words)
      : word((hash >> 12U) & (words - 1)),
        bits(std::uint64_t{1} << (hash & 63U) | std::uint64_t{1} << (hash >> 6U & 63U)) {}
};

} // namespace

void Temporaries::add(DeviceId device, std::uint64_t number) {
  if (words_.empty()) words_.resize(kWords);
  const std::uint64_t hash = mixed(device.value, number);
  __builtin_prefetch(&words_[TwoBits(hash, kWords).word], 1);
  const TwoBits oldest(std::exchange(waiting_[next_], hash), kWords);
  words_[oldest.word] |= oldest.bits;
  next_ = (next_ + 1) % waiting_.size();
}

bool Temporaries::has(DeviceId device, std::uint64_t number) const {
  if (words_.empty()) return false;
  const std::uint64_t hash = mixed(device.value, number);
  const TwoBits two(hash, kWords);
  return (words_[two.word] & two.bits) == two.bits || std::ranges::find(waiting_, hash) != waiting_.end();
}

void FateTable::add(StackId stack, std::uint64_t size_bytes, Fate fate) {
  const std::uint64_t number = number_of(stack, size_bytes);
  if (fate == Fate::in_its_phase) {
    temporaries_->add(device_, number);
    return;
  }
  const auto bits = static_cast<std::uint64_t>(fate);
  const std::uint64_t known = fates_.find(number).value_or(0);
  if ((known & bits) != 0 || fates_.size() == kMostFates) return;
  static_cast<void>(fates_.insert(number, known | bits));
}

bool FateTable::has(StackId stack, std::uint64_t size_bytes, Fate fate) const {
  const std::uint64_t number = number_of(stack, size_bytes);
  if (fate == Fate::in_its_phase) return temporaries_->has(device_, number);
  return (fates_.find(number).value_or(0) & static_cast<std::uint64_t>(fate)) != 0;
}

void GradientCount::add(std::uint32_t its_epoch) {
  in_epoch = its_epoch == epoch ? in_epoch + 1 : 1;
  epoch = its_epoch;
  most = std::max(most, in_epoch);
}

KindWatch::KindWatch(KindRules rules) : known_(std::make_unique<Known>()) {
  known_->rules = std::move(rules);
}
KindWatch::~KindWatch() = default;

void KindWatch::begin(const FrameTable& frames) {
  known_->devices.clear();
  known_->current = nullptr;
  known_->temporaries = {};
  known_->classes.emplace(frames);
  known_->told.emplace(known_->rules, frames);
  known_->has_declarations = false;
}

void KindWatch::allocated(DeviceId device, const Began& began, const Event& event) {
  StackClasses& classes = *known_->classes;
  const StackClass stack_class = classes.of(began.stack);
  Known::OfDevice& known = known_->of(device);
  known.phases.allocated(began.event, class_where_recorded(stack_class, classes.has_cpp_frames()));
  if (stack_class == StackClass::module_call) known.called.add(known.phases.now(), event.size_bytes);
  known_->look_at(event.user_metadata);
  known_->look_at(event.internal_metadata);
}

void KindWatch::annotated(DeviceId /*device*/, StringId text) {
  known_->look_at(text);
}

bool KindWatch::has_declarations() const {
  return known_->has_declarations;
}

void KindWatch::freed(DeviceId device, const Began& began, std::uint64_t size_bytes) {
  Known::OfDevice& known = known_->of(device);
  StackClasses& classes = *known_->classes;
  const PhaseRun& now = known.phases.now();
  const PhaseRun& then = began.event >= now.first ? now : known.phases.at(began.event);
  known.fates.add(began.stack, size_bytes, fate_of(then, now));
  if (then.epoch == now.epoch) return;

  const StackClass stack_class = class_where_recorded(classes.of(began.stack), classes.has_cpp_frames());
  const bool is_of_backward = stack_class == StackClass::backward || stack_class == StackClass::accumulate_grad;
  if (!is_of_backward) return;
  const auto found = known.gradients.find(size_bytes);
  if (found != known.gradients.end())
    found->second.add(then.epoch);
  else if (known.gradients.size() < kMostSizes)
    known.gradients[size_bytes].add(then.epoch);
}

} // namespace memviz
