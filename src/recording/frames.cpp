#include "memviz/frames.hpp"

#include "base/hash.hpp"
#include "base/hash_table.hpp"
#include "base/utf8.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <limits>

namespace memviz {
namespace {

std::uint64_t hash_of(const Frame& frame) {
  return mixed(mixed(mixed(hash_secret(), frame.name.value), frame.filename.value),
               static_cast<std::uint64_t>(frame.line));
}

std::uint64_t hash_of(std::span<const FrameId> frames) {
  std::uint64_t hash = mixed(hash_secret(), frames.size());
  for (const FrameId frame : frames)
    hash = mixed(hash, frame.value);
  return hash;
}

std::uint32_t next_id(std::size_t count, const char* what) {
  if (count >= std::numeric_limits<std::uint32_t>::max()) throw Error(std::string("more than 2^32 distinct ") + what);
  return static_cast<std::uint32_t>(count);
}

} // namespace

struct FrameTable::Index {
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t entry = 0; ///< id + 1; 0: free
    [[nodiscard]] bool is_free() const { return entry == 0; }
    [[nodiscard]] std::uint32_t id() const { return static_cast<std::uint32_t>(entry - 1); }
  };
  using Table = HashTable<Slot>;

  /// Returns the slot of the id for which `is` is true, or the free one.
  template <class Is> [[nodiscard]] static Slot& place(Table& table, std::uint64_t hash, const Is& is) {
    return table.place(
        hash, [&](const Slot& slot) { return slot.hash == hash && is(slot.id()); },
        [](const Slot& slot) { return slot.hash; });
  }
  static void fill(Table& table, Slot& slot, std::uint64_t hash, std::uint32_t id) {
    table.fill(slot, {hash, std::uint64_t{id} + 1});
  }

  Table strings;
  Table frames;
  Table stacks;
};

FrameTable::FrameTable() : index_(std::make_unique<Index>()) {
  intern("");
  stacks_.assign(2, Span{0, 0}); // kNoFrames, kNoContext
}

FrameTable::FrameTable(FrameTable&&) noexcept = default;
FrameTable& FrameTable::operator=(FrameTable&&) noexcept = default;
FrameTable::~FrameTable() = default;

StringId FrameTable::intern(std::string_view text) {
  const std::uint64_t hash = memviz::hash_of(text);
  Index::Slot& slot = Index::place(index_->strings, hash, [&](std::uint32_t id) { return strings_[id] == text; });
  if (!slot.is_free()) return {slot.id()};
  if (!is_valid_utf8(text)) return intern(to_valid_utf8(text));
  const std::uint32_t id = next_id(strings_.size(), "strings");
  strings_.push_back(storage_.emplace_back(text));
  Index::fill(index_->strings, slot, hash, id);
  return {id};
}

FrameId FrameTable::add_frame(const Frame& frame) {
  const std::uint64_t hash = hash_of(frame);
  Index::Slot& slot = Index::place(index_->frames, hash, [&](std::uint32_t id) { return frames_[id] == frame; });
  if (!slot.is_free()) return {slot.id()};
  const std::uint32_t id = next_id(frames_.size(), "frames");
  frames_.push_back(frame);
  Index::fill(index_->frames, slot, hash, id);
  return {id};
}

StackId FrameTable::add_stack(std::span<const FrameId> frames) {
  if (frames.empty()) return kNoFrames;
  const std::uint64_t hash = hash_of(frames);
  Index::Slot& slot = Index::place(index_->stacks, hash, [&](std::uint32_t id) {
    const std::span<const FrameId> stored = stack({id});
    return std::equal(stored.begin(), stored.end(), frames.begin(), frames.end());
  });
  if (!slot.is_free()) return {slot.id()};
  const std::uint32_t id = next_id(stacks_.size(), "stacks");
  stacks_.push_back({stack_frames_.size(), next_id(frames.size(), "frames in one stack")});
  stack_frames_.insert(stack_frames_.end(), frames.begin(), frames.end());
  Index::fill(index_->stacks, slot, hash, id);
  return {id};
}

std::span<const FrameId> FrameTable::stack(StackId id) const {
  const Span span = stacks_[id.value];
  return std::span(stack_frames_).subspan(static_cast<std::size_t>(span.begin), span.size);
}

std::string_view FrameTable::name(FrameId id, std::size_t most_bytes) const {
  return beginning_of(text(frame(id).name), most_bytes);
}

std::string_view FrameTable::filename(FrameId id, std::size_t most_bytes) const {
  return end_of(text(frame(id).filename), most_bytes);
}

const FxInfo* FrameTable::fx(FrameId id) const {
  const auto found = fx_.find(id.value);
  return found == fx_.end() ? nullptr : &found->second;
}

std::string_view FrameTable::source(FrameId id) const {
  const auto found = sources_.find(id.value);
  return found == sources_.end() ? std::string_view() : text(found->second);
}

} // namespace memviz
