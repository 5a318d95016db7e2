#include "analysis/tree/frame_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <variant>

namespace memviz {
namespace {

/// By number, from 0 to `count`: its place in the order of `key`.
template <class Key> std::vector<std::uint32_t> ranks(std::size_t count, Key key) {
  std::vector<std::uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0U);
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t left, std::uint32_t right) { return key(left) < key(right); });
  std::vector<std::uint32_t> rank(count);
  for (std::uint32_t place = 0; place < count; ++place)
    rank[ids[place]] = place;
  return rank;
}

} // namespace

void FrameOrder::rank_all() const {
  const FrameTable& frames = *frames_;
  // Texts first, each distinct one once: frames that share a long one are many.
  const std::vector<std::uint32_t> text_rank =
      ranks(frames.string_count(), [&](std::uint32_t id) { return frames.text({id}); });
  rank_ = ranks(frames.frame_count(), [&](std::uint32_t id) {
    const Frame& frame = frames.frame({id});
    return std::tuple(text_rank[frame.name.value], text_rank[frame.filename.value], frame.line);
  });
}

bool FrameOrder::is_frame_before(FrameId left, FrameId right) const {
  if (rank_.empty()) {
    // What a text costs is its length, as far as it is like the other.
    const Frame& one = frames_->frame(left);
    const Frame& other = frames_->frame(right);
    const auto cost = [&](StringId text) { return frames_->text(text).size() / sizeof(std::uint64_t); };
    compared_ += 1 + cost(one.name) + cost(one.filename);
    if (compared_ <= frames_->frame_count() + frames_->string_count()) {
      if (one.name != other.name) return frames_->text(one.name) < frames_->text(other.name);
      if (one.filename != other.filename) return frames_->text(one.filename) < frames_->text(other.filename);
      return one.line < other.line;
    }
    rank_all();
  }
  return rank_[left.value] < rank_[right.value];
}

bool FrameOrder::is_before(const NodeKey& left, const NodeKey& right) const {
  const auto* one = std::get_if<FrameId>(&left);
  const auto* other = std::get_if<FrameId>(&right);
  return one != nullptr && other != nullptr ? is_frame_before(*one, *other) : left < right;
}

} // namespace memviz
