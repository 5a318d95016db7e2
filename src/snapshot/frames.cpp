#include "memviz/frames.hpp"

#include "base/utf8.hpp"
#include "memviz/error.hpp"
#include "value/hash.hpp"

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

std::size_t FrameTable::Hash::operator()(std::string_view text) const {
  return memviz::hash_of(text);
}

FrameTable::FrameTable() {
  intern("");
  stacks_.assign(2, Span{0, 0}); // kNoFrames, kNoContext
}

StringId FrameTable::intern(std::string_view text) {
  if (const auto found = string_index_.find(text); found != string_index_.end()) return {found->second};
  if (!is_valid_utf8(text)) return intern(to_valid_utf8(text));
  const std::uint32_t id = next_id(strings_.size(), "strings");
  const std::string& stored = storage_.emplace_back(text);
  strings_.push_back(stored);
  string_index_.emplace(stored, id);
  return {id};
}

FrameId FrameTable::add_frame(const Frame& frame) {
  const std::uint64_t hash = hash_of(frame);
  const auto [begin, end] = frame_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (frames_[it->second] == frame) return {it->second};
  }
  const std::uint32_t id = next_id(frames_.size(), "frames");
  frames_.push_back(frame);
  frame_index_.emplace(hash, id);
  return {id};
}

StackId FrameTable::add_stack(std::span<const FrameId> frames) {
  if (frames.empty()) return kNoFrames;
  const std::uint64_t hash = hash_of(frames);
  const auto [begin, end] = stack_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const std::span<const FrameId> stored = stack({it->second});
    if (std::equal(stored.begin(), stored.end(), frames.begin(), frames.end())) return {it->second};
  }
  const std::uint32_t id = next_id(stacks_.size(), "stacks");
  stacks_.push_back({stack_frames_.size(), next_id(frames.size(), "frames in one stack")});
  stack_frames_.insert(stack_frames_.end(), frames.begin(), frames.end());
  stack_index_.emplace(hash, id);
  return {id};
}

std::span<const FrameId> FrameTable::stack(StackId id) const {
  const Span span = stacks_[id.value];
  return std::span(stack_frames_).subspan(span.begin, span.size);
}

const FxInfo* FrameTable::fx(FrameId id) const {
  const auto found = fx_.find(id.value);
  return found == fx_.end() ? nullptr : &found->second;
}

} // namespace memviz
