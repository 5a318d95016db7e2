#include "analysis/tree/frame_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <variant>

namespace memviz {
namespace {

/// Returns the place of each number, from 0 to `count`, in the order of `key`.
template <class Key> std::vector<std::uint32_t> ranks(std::size_t count, Key key) {
  std::vector<std::uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0U);
  std::ranges::sort(ids, [&](std::uint32_t left, std::uint32_t right) { return key(left) < key(right); });
  std::vector<std::uint32_t> rank(count);
  for (std::uint32_t place = 0; place < count; ++place)
    rank[ids[place]] = place;
  return rank;
}

} // namespace

void FrameOrder::rank_all() const {
  const FrameTable& frames = *frames_;
  // Sorts texts first, each distinct one once, because many frames share a long one.
  text_rank_ = ranks(frames.string_count(), [&](std::uint32_t id) { return frames.text({id}); });
  rank_ = ranks(frames.frame_count(), [&](std::uint32_t id) {
    const Frame& frame = frames.frame({id});
    return std::tuple(text_rank_[frame.name.value], text_rank_[frame.filename.value], frame.line);
  });
}

/// Returns the cost of comparing a text with a similar one: its length in words.
std::size_t FrameOrder::cost_of(StringId text) const {
  return frames_->text(text).size() / sizeof(std::uint64_t);
}

bool FrameOrder::is_ranked_after(std::size_t cost) const {
  if (!text_rank_.empty()) return true;
  compared_ += 1 + cost;
  if (compared_ <= frames_->frame_count() + frames_->string_count()) return false;
  rank_all();
  return true;
}

bool FrameOrder::is_frame_before(FrameId left, FrameId right) const {
  const Frame& one = frames_->frame(left);
  const Frame& other = frames_->frame(right);
  if (is_ranked_after(cost_of(one.name) + cost_of(one.filename))) return rank_[left.value] < rank_[right.value];
  if (one.name != other.name) return frames_->text(one.name) < frames_->text(other.name);
  if (one.filename != other.filename) return frames_->text(one.filename) < frames_->text(other.filename);
  return one.line < other.line;
}

bool FrameOrder::is_topic_before(const TopicKey& left, const TopicKey& right) const {
  if (left.topic != right.topic || left.content != right.content) return left < right;
  return is_text_before(left.text, right.text);
}

bool FrameOrder::is_text_before(StringId left, StringId right) const {
  if (is_ranked_after(cost_of(left))) return text_rank_[left.value] < text_rank_[right.value];
  return frames_->text(left) < frames_->text(right);
}

bool FrameOrder::is_step_before(const KeeperStep& left, const KeeperStep& right) const {
  if (left.part != right.part) return left.part < right.part;
  if (left.text != right.text) return is_text_before(left.text, right.text);
  if (left.file != right.file) return is_text_before(left.file, right.file);
  return left.line < right.line;
}

bool FrameOrder::is_before(const NodeKey& left, const NodeKey& right) const {
  const auto* one = std::get_if<FrameId>(&left);
  const auto* other = std::get_if<FrameId>(&right);
  if (one != nullptr && other != nullptr) return is_frame_before(*one, *other);
  const auto* topic = std::get_if<TopicKey>(&left);
  const auto* other_topic = std::get_if<TopicKey>(&right);
  if (topic != nullptr && other_topic != nullptr) return is_topic_before(*topic, *other_topic);
  const auto* step = std::get_if<KeeperStep>(&left);
  const auto* other_step = std::get_if<KeeperStep>(&right);
  if (step != nullptr && other_step != nullptr) return is_step_before(*step, *other_step);
  return left < right;
}

} // namespace memviz
