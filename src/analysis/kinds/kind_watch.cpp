#include "analysis/kinds/kind_watch.hpp"

#include <algorithm>

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

} // namespace

Fates* FateTable::make(StackId stack, std::uint64_t size_bytes) {
  const std::uint64_t number = number_of(stack, size_bytes);
  if (const auto index = numbers_.find(number)) return &fates_[*index];
  if (fates_.size() == kMostFates) return nullptr;
  static_cast<void>(numbers_.insert(number, fates_.size()));
  return &fates_.emplace_back();
}

const Fates& FateTable::of(StackId stack, std::uint64_t size_bytes) const {
  static const Fates none;
  const auto index = numbers_.find(number_of(stack, size_bytes));
  return index ? fates_[*index] : none;
}

void GradientCount::add(std::uint32_t its_epoch) {
  in_epoch = its_epoch == epoch ? in_epoch + 1 : 1;
  epoch = its_epoch;
  most = std::max(most, in_epoch);
}

KindWatch::KindWatch() : known_(std::make_unique<Known>()) {
}
KindWatch::~KindWatch() = default;

void KindWatch::begin(const FrameTable& frames) {
  known_->devices.clear();
  known_->classes.emplace(frames);
}

void KindWatch::allocated(DeviceId device, const Began& began) {
  StackClasses& classes = *known_->classes;
  const StackClass stack_class = classes.of(began.stack);
  known_->devices.make(device).phases.allocated(began.event,
                                                class_where_recorded(stack_class, classes.has_cpp_frames()));
}

void KindWatch::freed(DeviceId device, const Began& began, std::uint64_t size_bytes) {
  Known::OfDevice& known = known_->devices.make(device);
  StackClasses& classes = *known_->classes;
  const PhaseRun& now = known.phases.now();
  const PhaseRun& then = began.event >= now.first ? now : known.phases.at(began.event);
  if (Fates* const fates = known.fates.make(began.stack, size_bytes)) {
    const bool is_same_epoch = now.epoch == then.epoch;
    if (is_same_epoch && now.phase == Phase::backward && then.phase == Phase::forward)
      ++fates->in_backward;
    else
      ++(is_same_epoch && now.phase == then.phase ? fates->in_its_phase : fates->later);
  }

  const StackClass stack_class = class_where_recorded(classes.of(began.stack), classes.has_cpp_frames());
  const bool is_of_backward = stack_class == StackClass::backward || stack_class == StackClass::accumulate_grad;
  if (!is_of_backward || then.epoch == now.epoch) return;
  const auto found = known.gradients.find(size_bytes);
  if (found != known.gradients.end())
    found->second.add(then.epoch);
  else if (known.gradients.size() < kMostSizes)
    known.gradients[size_bytes].add(then.epoch);
}

} // namespace memviz
