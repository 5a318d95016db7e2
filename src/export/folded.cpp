#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

/// A file of a few megabytes can name terabytes of text: stacks that repeat one long name.
constexpr std::size_t kMostTextBytes = std::size_t{1} << 30U;

void check_text_bytes(std::size_t bytes) {
  if (bytes > kMostTextBytes) throw Error("its stacks spelled out are more than 1 GiB of text");
}

/// The text of each distinct stack, built once: outermost frame first, without the frames on PyTorch's omit list.
class StackTexts {
public:
  explicit StackTexts(const FrameTable& frames) : frames_(frames), texts_(frames.stack_count()) {}

  const std::string& operator[](StackId stack) {
    auto& text = texts_[stack.value];
    if (!text) {
      text = build(stack);
      bytes_ += text->size();
      check_text_bytes(bytes_);
    }
    return *text;
  }

private:
  [[nodiscard]] std::string build(StackId stack) const {
    if (stack == kNoFrames) return "<non-python>";
    if (stack == kNoContext) return "<no-context>";
    const auto innermost_first = frames_.stack(stack);
    std::string text;
    for (auto frame = innermost_first.rbegin(); frame != innermost_first.rend(); ++frame) {
      if (is_omitted(frames_.name(*frame), frames_.filename(*frame))) continue;
      if (!text.empty()) text += ';';
      text += folded_label(frames_, *frame);
      check_text_bytes(text.size());
    }
    return text;
  }

  const FrameTable& frames_;
  std::vector<std::optional<std::string>> texts_;
  std::size_t bytes_ = 0;
};

/// The stack is absent for what stands directly under the prefix: inactive blocks and gaps.
struct PathKey {
  BlockState state;
  std::optional<StackId> stack;
  friend auto operator<=>(const PathKey&, const PathKey&) = default;
};

using PathSums = std::map<PathKey, std::uint64_t>;

std::string prefix_of(const Segment& segment, FoldedView view) {
  if (view == FoldedView::memory) return fmt::format("stream_{}", segment.stream);
  return fmt::format("stream_{};seg_{}", segment.stream, segment.address);
}

void add_block(PathSums& sums, const Block& block) {
  if (!block.is_active()) {
    sums[{block.state, std::nullopt}] += block.size_bytes;
    return;
  }
  sums[{block.state, block.stack}] += block.requested_bytes;
  sums[{block.state, std::nullopt}] += block.rounding_bytes();
}

std::string path_text(const std::string& prefix, const PathKey& key, StackTexts& stacks) {
  if (key.state == BlockState::inactive) return fmt::format("{};inactive", prefix);
  return fmt::format("{};{};{}", prefix, state_name(key.state), key.stack ? stacks[*key.stack] : "<gaps>");
}

} // namespace

std::string folded_stacks(const Snapshot& snapshot, FoldedView view, std::optional<std::uint32_t> device) {
  std::map<std::string, PathSums> by_prefix;
  for (const Segment& segment : snapshot.segments) {
    if (device && segment.device != *device) continue;
    PathSums& sums = by_prefix[prefix_of(segment, view)];
    for (const Block& block : snapshot.blocks_of(segment))
      add_block(sums, block);
  }

  StackTexts stacks(snapshot.frames);
  // Two stacks that differ only in omitted frames or in directories have one text.
  std::map<std::string, std::uint64_t> by_path;
  std::size_t text_bytes = 0;
  for (const auto& [prefix, sums] : by_prefix) {
    for (const auto& [key, bytes] : sums) {
      if (bytes == 0) continue;
      std::string path = path_text(prefix, key, stacks);
      text_bytes += path.size();
      check_text_bytes(text_bytes);
      by_path[std::move(path)] += bytes;
    }
  }

  // std::string compares bytes as unsigned, and for UTF-8 that is the order of code points.
  std::string lines;
  for (const auto& [path, bytes] : by_path)
    fmt::format_to(std::back_inserter(lines), "{} {}\n", path, bytes);
  return lines;
}

} // namespace memviz
