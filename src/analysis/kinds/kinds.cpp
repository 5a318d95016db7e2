#include "memviz/kinds.hpp"

#include "analysis/kinds/declared_kinds.hpp"
#include "analysis/kinds/device_kinds.hpp"
#include "analysis/kinds/frame_marks.hpp"
#include "analysis/kinds/stack_class.hpp"
#include "analysis/tree/text_facts.hpp"
#include "base/saturating.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace memviz {

namespace {

using Known = KindWatch::Known;

/// The blocks in use at the end of a recording.
class EndBlocks {
public:
  EndBlocks(const MemoryMap& end, DeviceId device) {
    for (const Segment& segment : end.segments_of(device))
      for (const Block& block : end.blocks_of(segment))
        if (block.is_active()) blocks_.push_back(&block);
    std::ranges::sort(blocks_, {}, &Block::address);
  }
  /// Returns null if there is none.
  [[nodiscard]] const Block* at(std::uint64_t address) const {
    const auto found = std::ranges::lower_bound(blocks_, address, {}, &Block::address);
    return found == blocks_.end() || (*found)->address != address ? nullptr : *found;
  }

private:
  std::vector<const Block*> blocks_;
};

/// Looks at the stacks of a state whose recording was watched.
class AllocationFinder {
public:
  AllocationFinder(const MemoryState& state, const Known& known)
      : recorded_(state.recording->declared), classes_(state.frames()), declared_kinds_(known.rules, state.frames()),
        has_cpp_frames_(known.classes && known.classes->has_cpp_frames()) {}

  [[nodiscard]] RecordedAllocation of_block(const MemoryState& state, DeviceId device, std::uint32_t index) {
    const Block& block = state.blocks[index];
    RecordedAllocation allocation = of_stack(block.stack, state.facts[index].history);
    allocation.address = block.address;
    allocation.bytes = block.requested_bytes;
    add(allocation, declared_of(state, device, index));
    const std::optional<BlockBirth>& birth = state.facts[index].birth;
    if (!birth) return allocation;
    add(allocation, birth->user_metadata);
    add(allocation, birth->internal_metadata);
    for (const StringId text : birth->annotations)
      add(allocation, text);
    return allocation;
  }

  [[nodiscard]] RecordedAllocation of_life(const DeviceRecord& record, const Life& life, const EndBlocks& end) {
    BlockHistory history;
    history.alloc_event = EventIndex::last_of(life.begin);
    history.is_kept = life.end == kForever;
    if (!history.is_kept) history.free_event = EventIndex::last_of(life.end);
    RecordedAllocation allocation = of_stack(life.stack, history);
    allocation.address = life.address;
    allocation.bytes = life.size_bytes;
    for (const StringId text : record.annotations_of(life))
      add(allocation, text);
    // A declared tensor may fill the whole block of the allocation.
    Life place = life;
    const Block* const block = history.is_kept ? end.at(life.address) : nullptr;
    if (block != nullptr) place.size_bytes = block->size_bytes;
    add(allocation, declared_of(recorded_, record.device, place));
    return allocation;
  }

private:
  [[nodiscard]] RecordedAllocation of_stack(StackId stack, const BlockHistory& history) {
    StackClass stack_class = classes_.of(stack);
    if (history.is_explained()) stack_class = class_where_recorded(stack_class, has_cpp_frames_);
    return {
        .stack = stack, .stack_class = stack_class, .declared = declared_kinds_.of_stack(stack), .history = history};
  }
  static void add(RecordedAllocation& allocation, const DeclaredMemory* declared) {
    if (declared == nullptr) return;
    // An optimizer's own copies of the parameters are what it updates, and look like parameters to its objects.
    if (declared->evidence == KindEvidence::keepers && allocation.stack_class == StackClass::master_copy) return;
    allocation.declared = stronger(allocation.declared, {declared->kind, declared->evidence});
  }
  void add(RecordedAllocation& allocation, StringId text) {
    if (text != kEmptyString) allocation.declared = stronger(allocation.declared, declared_kinds_.of_text(text));
  }

  const DeclaredTable& recorded_;
  StackClasses classes_;
  DeclaredKinds declared_kinds_;
  bool has_cpp_frames_;
};

template <class Visit> void for_each_active(const MemoryState& state, DeviceId device, Visit&& visit) {
  for (const Segment& segment : state.segments_of(device))
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (state.blocks[i].is_active()) visit(i);
}

void add_block(KindAccount& account, const MemoryState& state, std::uint32_t block) {
  const std::uint64_t bytes = state.blocks[block].requested_bytes;
  const KindOf kind = state.facts[block].kind;
  KindAmount& amount = account[static_cast<std::size_t>(kind.kind)];
  amount.bytes += bytes;
  ++amount.blocks;
  amount.bytes_by[static_cast<std::size_t>(kind.evidence)] += bytes;
}

const Known::OfDevice& known_of(const KindWatch& watch, DeviceId device) {
  static const Known::OfDevice no_events;
  const auto found = watch.known().devices.find(device);
  return found == watch.known().devices.end() ? no_events : found->second;
}

} // namespace

void add_kinds(MemoryState& state, const KindWatch& watch) {
  AllocationFinder allocations(state, watch.known());
  for (const DeviceState& device_state : state.devices) {
    DeviceKinds device(known_of(watch, device_state.device));
    for_each_active(state, device_state.device, [&](std::uint32_t block) {
      state.facts[block].kind = device.kind_of(allocations.of_block(state, device_state.device, block));
    });
  }
  state.has_kinds = !state.blocks.empty();
}

LifeKinds kinds_of(const DeviceRecord& record, const MemoryState& state, const KindWatch& watch) {
  DeviceKinds device(known_of(watch, record.device));
  AllocationFinder allocations(state, watch.known());
  const EndBlocks end(state.recording->end, record.device);
  std::vector<KindOf> all;
  for (const auto& lives : {&record.kept_baseline, &record.freed_baseline, &record.lives})
    for (const Life& life : *lives)
      all.push_back(device.kind_of(allocations.of_life(record, life, end)));
  const auto part = [&](std::size_t begin, std::size_t count) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::vector<KindOf>(first, first + static_cast<std::ptrdiff_t>(count));
  };
  const std::size_t kept = record.kept_baseline.size();
  const std::size_t freed = record.freed_baseline.size();
  return {.lives = part(kept + freed, record.lives.size()),
          .freed_baseline = part(kept, freed),
          .kept_baseline = part(0, kept)};
}

KindAccount kind_account(const MemoryState& state, std::optional<DeviceId> device) {
  KindAccount account;
  for (const DeviceState& device_state : state.devices_of(device)) {
    for_each_active(state, device_state.device, [&](std::uint32_t block) { add_block(account, state, block); });
    account[static_cast<std::size_t>(MemoryKind::unknown)].bytes += device_state.figures.outside_bytes;
  }
  return account;
}

KindsByDevice kinds_by_device(const MemoryState& state) {
  KindsByDevice kinds;
  for (const DeviceState& device_state : state.devices)
    kinds.emplace(device_state.device, kind_account(state, device_state.device));
  return kinds;
}

KindAccount server_kind_account(const MemoryState& state, DeviceId device) {
  const FrameTable& frames = state.frames();
  TextFacts<bool> files(frames, [](std::string_view path) { return (file_marks(path) & mark::server_file) != 0; });
  std::unordered_map<std::uint32_t, bool> stacks;
  const auto is_of_server = [&](StackId stack) {
    const auto [entry, is_new] = stacks.try_emplace(stack.value);
    if (is_new)
      entry->second = std::ranges::any_of(frames.stack(stack),
                                          [&](FrameId frame) { return files.of(frames.frame(frame).filename); });
    return entry->second;
  };
  KindAccount account{};
  for_each_active(state, device, [&](std::uint32_t block) {
    if (is_of_server(state.blocks[block].stack)) add_block(account, state, block);
  });
  return account;
}

std::map<std::pair<DeviceId, StackId>, MemoryKind> kinds_by_stack(const MemoryState& state) {
  std::map<std::pair<DeviceId, StackId>, MemoryKind> kinds;
  if (!state.has_kinds) return kinds;
  std::map<std::pair<DeviceId, StackId>, std::array<std::uint64_t, kMemoryKinds>> stacks;
  for (const DeviceState& device_state : state.devices)
    for_each_active(state, device_state.device, [&](std::uint32_t block) {
      stacks[{device_state.device, state.blocks[block].stack}]
            [static_cast<std::size_t>(state.facts[block].kind.kind)] += state.blocks[block].requested_bytes;
    });
  for (const auto& [stack, bytes] : stacks) {
    const auto most = std::ranges::max_element(bytes);
    const std::uint64_t all = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
    const auto kind = static_cast<MemoryKind>(most - bytes.begin());
    if (kind != MemoryKind::unknown && all - *most <= all / 10) kinds.emplace(stack, kind);
  }
  return kinds;
}

void add(KindAccount& sum, const KindAccount& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i].bytes += other[i].bytes;
    sum[i].blocks += other[i].blocks;
    for (std::size_t way = 0; way < kKindEvidences; ++way)
      sum[i].bytes_by[way] += other[i].bytes_by[way];
  }
}

KindAccount difference(const KindAccount& whole, const KindAccount& part) {
  KindAccount rest = whole;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i].bytes -= std::min(rest[i].bytes, part[i].bytes);
    rest[i].blocks -= std::min(rest[i].blocks, part[i].blocks);
    for (std::size_t way = 0; way < kKindEvidences; ++way)
      rest[i].bytes_by[way] -= std::min(rest[i].bytes_by[way], part[i].bytes_by[way]);
  }
  return rest;
}

std::uint64_t bytes_of_kinds(const KindAccount& account) {
  std::uint64_t bytes = 0;
  for (const KindAmount& amount : account)
    bytes += amount.bytes;
  return bytes;
}

bool has_known(const KindAccount& account) {
  return std::any_of(account.begin(), account.end() - 1, [](const KindAmount& amount) { return amount.bytes > 0; });
}

std::vector<KindChange> kind_changes(const KindAccount& before, const KindAccount& after) {
  if (!has_known(before) && !has_known(after)) return {};
  std::vector<KindChange> changes;
  for (std::size_t i = 0; i < kMemoryKinds; ++i)
    if (before[i].bytes > 0 || after[i].bytes > 0)
      changes.push_back({static_cast<MemoryKind>(i), before[i].bytes, after[i].bytes});
  std::ranges::stable_sort(changes, std::ranges::greater(),
                           [](const KindChange& change) { return magnitude(change.delta_bytes()); });
  return changes;
}

} // namespace memviz
