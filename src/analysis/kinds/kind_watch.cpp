#include "analysis/kinds/kind_watch.hpp"

#include "analysis/kinds/layer_weights.hpp"
#include "base/saturating.hpp"
#include "memviz/memory_state.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace memviz {

namespace {

/// Memory freed earlier may be a batch.
constexpr std::uint32_t kEpochsOfResident = 2;
constexpr std::size_t kMostFailures = 4096;
constexpr std::size_t kMostReductions = std::size_t{1} << 20U;
constexpr std::size_t kMostFates = std::size_t{1} << 20U;

constexpr std::uint64_t kLarge = std::uint64_t{1} << 31U;

/// A stack and a size in 64 bits: the size in bytes up to 2 GiB, above that in units of the allocator's 512 bytes.
std::uint64_t number_of(StackId stack, std::uint64_t size_bytes) {
  const std::uint64_t size = size_bytes < kLarge ? size_bytes : kLarge | std::min(size_bytes >> 9U, kLarge - 1);
  return std::uint64_t{stack.value} << 32U | size;
}

Fate fate_of(const PhaseRun& made, const PhaseRun& gone) {
  // Two losses may share a forward pass, so a later backward pass frees memory of it.
  const bool is_made_forward = made.phase == Phase::forward || made.phase == Phase::before;
  if (is_made_forward && gone.phase == Phase::backward) return Fate::in_backward;
  return made.epoch == gone.epoch && made.phase == gone.phase ? Fate::in_its_phase : Fate::later;
}

} // namespace

void FateTable::add(StackId stack, std::uint64_t size_bytes, Fate fate) {
  const std::uint64_t number = number_of(stack, size_bytes);
  const auto bits = static_cast<std::uint64_t>(fate);
  const std::uint64_t known = fates_.find(number).value_or(0);
  if ((known & bits) != 0 || fates_.size() == kMostFates) return;
  static_cast<void>(fates_.insert(number, known | bits));
}

bool FateTable::has(StackId stack, std::uint64_t size_bytes, Fate fate) const {
  return (fates_.find(number_of(stack, size_bytes)).value_or(0) & static_cast<std::uint64_t>(fate)) != 0;
}

StackId FateTable::stack_of(std::uint64_t number) {
  return StackId{static_cast<std::uint32_t>(number >> 32U)};
}

std::uint64_t FateTable::size_of(std::uint64_t number) {
  const std::uint64_t size = number & 0xffffffffU;
  return size < kLarge ? size : (size & (kLarge - 1)) << 9U;
}

void Copies::add(std::uint64_t size_bytes) {
  ++count;
  for (std::uint64_t& size : sizes) {
    if (size == size_bytes) return;
    if (size != 0) continue;
    size = size_bytes;
    return;
  }
}

bool Copies::are_weights() const {
  constexpr std::uint64_t kFewest = 16;
  return count >= kFewest && sizes.back() != 0;
}

void CatSizes::add(std::uint64_t size_bytes) {
  if (last_bytes != 0 && size_bytes > last_bytes) ++grown;
  if (size_bytes < last_bytes) ++shrunk;
  last_bytes = size_bytes;
}

/// A new prompt begins a new cache.
bool CatSizes::is_cache() const {
  constexpr std::uint64_t kLeastGrowth = 4;
  return grown >= kLeastGrowth && shrunk <= grown / kLeastGrowth;
}

using OfDevice = KindWatch::Known::OfDevice;

void OfDevice::begin_run() {
  const PhaseRun& previous = phases.previous();
  for (const Freed& freed : freed_last) {
    // The pass may also have freed the last of its temporaries.
    if (fates.has(freed.stack, freed.size_bytes, Fate::in_its_phase)) continue;
    fates.add(freed.stack, freed.size_bytes, Fate::later);
    if (SizeFacts* const facts = sizes.add(freed.size_bytes)) facts->gradients.add(previous.epoch);
  }
  freed_last.clear();
  PhaseRun& now = phases.now();
  if (now.phase == Phase::backward && called.made.blocks > 0)
    now.middle = EventIndex::last_of((called.first.count() + now.first.count()) / 2);
  if (now.phase != Phase::forward) return;
  // A batch may be copied in several parts, between which modules run.
  const bool goes_on = now.epoch == previous.epoch && previous.phase == Phase::before && called.keeps_for_backward();
  if (!goes_on) called = {.first = now.first};
}

void OfDevice::go_on_backward() {
  for (const Freed& freed : freed_last)
    fates.add(freed.stack, freed.size_bytes, Fate::in_its_phase);
  freed_last.clear();
}

void OfDevice::freed_in_pass(const Began& began, StackClass stack_class, std::uint64_t size_bytes) {
  if (releasing.is_possible && is_called(stack_class) && began.event >= releasing.called.first)
    releasing.freed.push_back({began.stack, size_bytes, stack_class == StackClass::cast_call});
  else
    fates.add(began.stack, size_bytes, Fate::in_its_phase);
}

void OfDevice::end_release(EventIndex next) {
  if (!releasing.is_begun) return;
  releasing.is_begun = false;
  if (!releasing.is_possible) return;
  const bool is_release = is_released_graph(releasing.called, releasing.freed);
  for (const FreedInPass& one : releasing.freed)
    fates.add(one.stack, one.size_bytes, is_release ? Fate::with_pass : Fate::in_its_phase);
  releasing.freed.clear();
  if (!is_release) return;
  const CalledBytes& pass = releasing.called;
  releases.add({.first = pass.first, .first_of_latest = pass.first_of_latest(), .event = pass.last(), .until = next});
  called = {.first = next};
}

void OfDevice::note_reduction(EventIndex event, StackClass stack_class) {
  if (!reductions.empty() && reductions.back().until == kLastPossibleEvent) reductions.back().until = event;
  if (stack_class == StackClass::reduction && reductions.size() < kMostReductions) reductions.push_back({event});
}

void OfDevice::allocated(const Began& began, StackClass stack_class, std::uint64_t size_bytes) {
  const EventIndex event = began.event;
  if (!failures.empty() && failures.back().until == kLastPossibleEvent) failures.back().until = event;
  note_reduction(event, stack_class);
  end_release(event);
  if (phases.allocated(event, stack_class))
    begin_run();
  else if (is_of_backward(stack_class))
    go_on_backward();
  if (is_called(stack_class)) called.add(event, size_bytes, stack_class == StackClass::cast_call);
  if (stack_class == StackClass::cat_call) cats[began.stack].add(size_bytes);
  if (stack_class == StackClass::parameter)
    if (SizeFacts* const facts = sizes.add(size_bytes)) ++facts->parameters;
}

/// Whether a nearly finished backward pass has left it to the program, which frees it now. The first call for memory of
/// the first quarter of the forward pass shows that it is nearly finished.
bool OfDevice::is_output(const Began& began) {
  PhaseRun& now = phases.now();
  if (began.event < called.first) return false;
  const std::uint64_t quarter = (called.first.count() + now.middle.count()) / 2;
  if (now.nearly_over == kLastPossibleEvent && began.event.count() <= quarter) now.nearly_over = now.last;
  return now.nearly_over < now.last && began.event > now.middle;
}

void OfDevice::freed(const Began& began, StackClass stack_class, std::uint64_t size_bytes) {
  if (began.event.is_none()) return;
  if (!releasing.is_begun) {
    releasing.is_begun = true;
    releasing.is_possible =
        shows_casts && phases.now().phase == Phase::forward && !is_unwinding() && called.keeps_for_backward();
    if (releasing.is_possible) releasing.called = called;
  }
  if (is_called(stack_class) && began.event >= called.first)
    called.remove(size_bytes, stack_class == StackClass::cast_call);
  if (is_unwinding()) return;
  const PhaseRun& now = phases.now();
  const PhaseRun& then = began.event >= now.first ? now : phases.at(began.event);
  if (then.first == now.first && stack_class != StackClass::parameter) {
    if (is_of_backward(stack_class) && is_reducing() && sizes.of(size_bytes).has_parameters())
      fates.add(began.stack, size_bytes, Fate::later);
    else if (is_of_backward(stack_class))
      freed_last.push_back({began.stack, size_bytes});
    else
      freed_in_pass(began, stack_class, size_bytes);
    return;
  }
  const bool is_left = now.phase == Phase::backward && is_called(stack_class) && is_output(began);
  fates.add(began.stack, size_bytes, is_left ? Fate::later : fate_of(then, now));
  if (is_of_backward(stack_class)) {
    if (SizeFacts* const facts = then.epoch == now.epoch ? nullptr : sizes.add(size_bytes))
      facts->gradients.add(then.epoch);
  } else if (stack_class == StackClass::parameter && phases.is_first(now)) {
    if (SizeFacts* const facts = sizes.add(size_bytes)) ++facts->placeholders;
  } else if (phases.is_first(then) && now.epoch >= then.epoch + kEpochsOfResident && may_be_parameter(stack_class)) {
    reside(began.stack, stack_class, size_bytes);
  }
}

/// Notes an allocation from before the first forward pass that is never freed.
void OfDevice::reside(StackId stack, StackClass stack_class, std::uint64_t size_bytes) {
  if (stack_class == StackClass::copy) copies[stack].add(size_bytes);
  if (SizeFacts* const facts = sizes.add(size_bytes)) ++facts->residents;
}

void OfDevice::failed(EventIndex event) {
  if (is_unwinding() || failures.size() == kMostFailures) return;
  failures.push_back({.event = event, .called = called});
}

void OfDevice::survived(const Began& began, StackClass stack_class, std::uint64_t size_bytes) {
  const bool is_parameter = may_be_parameter(stack_class);
  if (began.event.is_none()) {
    if (!is_parameter && !is_of_backward(stack_class)) return;
    if (SizeFacts* const facts = sizes.add(size_bytes)) ++(is_parameter ? facts->old : facts->old_gradients);
    return;
  }
  const PhaseRun& then = phases.at(began.event);
  const bool is_resident = is_parameter && phases.is_first(then);
  const bool is_left = is_of_backward(stack_class) && then.first != phases.now().first;
  if (is_resident) reside(began.stack, stack_class, size_bytes);
  if (!is_of_backward(stack_class)) return;
  if (SizeFacts* const facts = sizes.add(size_bytes)) ++(is_left ? facts->kept_gradients : facts->unfinished);
}

bool OfDevice::is_in_reduction(EventIndex event) const {
  const auto after = std::ranges::upper_bound(reductions, event, {}, &Reduction::event);
  return after != reductions.begin() && event < std::prev(after)->until;
}

const FailedAllocation* OfDevice::unwound_by(EventIndex event) const {
  const auto after = std::ranges::upper_bound(failures, event, {}, &FailedAllocation::event);
  if (after == failures.begin()) return nullptr;
  const FailedAllocation& failure = *std::prev(after);
  return event < failure.until ? &failure : nullptr;
}

namespace {

/// Returns what was made before the first forward pass and lives to the end, in the order in which it was made: the
/// order of addresses for what is older than the events.
std::vector<LastingBlock> lasting_blocks(const MemoryState& end, DeviceId device, const Phases& phases,
                                         StackClasses& classes) {
  std::vector<LastingBlock> lasting;
  std::vector<std::pair<EventIndex, LastingBlock>> newer;
  for (const Segment* const segment : ordered_by_runs(end.segments_of(device)))
    for (std::uint32_t i = segment->first_block; i < segment->first_block + segment->block_count; ++i) {
      const Block& block = end.blocks[i];
      const BlockHistory& history = end.facts[i].history;
      const StackClass stack_class = classes.of(block.stack);
      if (!block.is_active()) continue;
      const LastingBlock one{block.address, block.requested_bytes};
      if (!history.is_explained() && may_be_parameter(stack_class))
        lasting.push_back(one);
      else if ((stack_class == StackClass::forward || stack_class == StackClass::parameter) &&
               phases.is_first(phases.at(history.alloc_event)))
        newer.emplace_back(history.alloc_event, one);
    }
  std::ranges::sort(newer, {}, &std::pair<EventIndex, LastingBlock>::first);
  for (const auto& [event, block] : newer)
    lasting.push_back(block);
  return lasting;
}

/// Returns the sizes that modules requested for memory that was freed.
std::set<std::uint64_t> requested_by_modules(const OfDevice& facts, StackClasses& classes) {
  std::set<std::uint64_t> sizes;
  facts.fates.for_each([&](StackId stack, std::uint64_t size_bytes) {
    if (is_called(classes.of(stack))) sizes.insert(size_bytes);
  });
  return sizes;
}

} // namespace

KindWatch::KindWatch(KindRules rules) : known_(std::make_unique<Known>()) {
  known_->rules = std::move(rules);
}
KindWatch::~KindWatch() = default;

void KindWatch::begin(const FrameTable& frames) {
  known_->devices.clear();
  known_->current = nullptr;
  known_->classes.emplace(frames);
  known_->declared_kinds.emplace(known_->rules, frames);
  known_->has_declarations = false;
}

void KindWatch::allocated(DeviceId device, const Began& began, const Event& event) {
  OfDevice& facts = known_->of(device);
  facts.allocated(began, known_->class_of(began.stack), event.size_bytes);
  facts.shows_casts = known_->classes->has_cpp_frames();
  known_->look_at(event.user_metadata);
  known_->look_at(event.internal_metadata);
}

void KindWatch::annotated(DeviceId /*device*/, StringId text) {
  known_->look_at(text);
}

void KindWatch::freed(DeviceId device, const Began& began, std::uint64_t size_bytes) {
  known_->of(device).freed(began, known_->class_of(began.stack), size_bytes);
}

void KindWatch::failed(DeviceId device, EventIndex event) {
  known_->of(device).failed(event);
}

void KindWatch::ended(const MemoryState& at_end) {
  for (auto& [device, facts] : known_->devices)
    facts.end_release(kLastPossibleEvent);
  StackClasses classes(at_end.frames());
  const bool has_cpp_frames = known_->classes && known_->classes->has_cpp_frames();
  for (const Segment& segment : at_end.segments)
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = at_end.blocks[i];
      if (!block.is_active()) continue;
      const Began began{at_end.facts[i].history.alloc_event, block.stack};
      StackClass stack_class = classes.of(block.stack);
      if (!began.event.is_none()) stack_class = class_where_recorded(stack_class, has_cpp_frames);
      known_->of(segment.device).survived(began, stack_class, block.requested_bytes);
    }
  const auto block_at = [&](std::uint32_t index) {
    const Block& block = at_end.blocks[index];
    if (!block.is_active() || at_end.facts[index].history.is_explained()) return OldBlock::newer;
    return may_be_parameter(classes.of(block.stack)) ? OldBlock::candidate : OldBlock::other;
  };
  for (auto& [device, facts] : known_->devices) {
    facts.old_copies = find_old_copies(at_end, at_end.segments_of(device), facts.sizes, block_at);
    if (!facts.phases.has_trained())
      facts.layer_weights = find_layer_weights(lasting_blocks(at_end, device, facts.phases, classes),
                                               requested_by_modules(facts, classes));
  }
}

bool KindWatch::has_declarations() const {
  return known_->has_declarations;
}

} // namespace memviz
