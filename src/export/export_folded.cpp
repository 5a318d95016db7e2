#include "analysis/tree/frame_selection.hpp"
#include "base/log_commands.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "export/text_limit.hpp"
#include "export/text_writer.hpp"
#include "memviz/export.hpp"
#include "memviz/frames.hpp"
#include "memviz/label.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

/// Returns frames outermost first, as they are written: "train.py:12:main;net.py:7:forward".
using FoldedStack = std::span<const FrameId>;

/// Returns the bytes of one frame, "net.py:7:forward".
[[nodiscard]] std::uint64_t folded_size(const FrameTable& frames, FrameId id);
/// Less than, equal to or greater than 0, as the texts compare byte by byte.
[[nodiscard]] int compare_folded(const FrameTable& frames, FoldedStack one, FoldedStack other);
[[nodiscard]] int compare_folded(const FrameTable& frames, FoldedStack stack, std::string_view word);
void write_folded(const FrameTable& frames, FoldedStack stack, TextWriter& writer);

/// A semicolon ends a frame.
char in_stack(char c) {
  return c == ';' ? ':' : c;
}

/// Returns a frame's text as PyTorch writes it, except for unsafe characters and commands of a job's log: `##[name]`
/// becomes `#:[name]`.
class SafeText {
public:
  explicit SafeText(std::string_view text) : text_(text) {
    const std::vector<std::size_t> commands = hash_commands(text);
    if (commands.empty() && is_plain_ascii(text)) return;
    changed_ = text;
    for (const std::size_t at : commands)
      changed_[at] = ':';
    changed_ = safe_line(changed_);
  }
  [[nodiscard]] std::string_view view() const { return changed_.empty() ? text_ : std::string_view(changed_); }

private:
  std::string_view text_;
  std::string changed_;
};

/// "basename", ":line:" and "name" of a frame, no longer than in the snapshot, before in_stack().
class Pieces {
public:
  Pieces(const FrameTable& frames, FrameId frame)
      : basename_(folded_basename(frames.text(frames.frame(frame).filename))),
        line_(fmt::format(":{}:", file_line_text(frames.frame(frame).line))),
        name_(frames.text(frames.frame(frame).name)) {}

  static constexpr std::size_t kCount = 3;
  [[nodiscard]] std::string_view operator[](std::size_t index) const {
    return std::array<std::string_view, kCount>{basename_.view(), line_, name_.view()}[index];
  }

private:
  SafeText basename_;
  std::string line_;
  SafeText name_;
};

/// Reads the text of a stack byte by byte.
class Reader {
public:
  static constexpr int kEnd = -1;

  Reader(const FrameTable& frames, FoldedStack stack)
      : frames_(frames), rest_(stack.subspan(1)), pieces_(frames, stack.front()), piece_(pieces_[0]) {}

  [[nodiscard]] int next() {
    while (piece_.empty() && index_ + 1 < Pieces::kCount)
      piece_ = pieces_[++index_];
    if (!piece_.empty()) {
      const char c = in_stack(piece_.front());
      piece_.remove_prefix(1);
      return static_cast<unsigned char>(c);
    }
    if (rest_.empty()) return kEnd;
    pieces_ = Pieces(frames_, rest_.front());
    rest_ = rest_.subspan(1);
    index_ = 0;
    piece_ = pieces_[0];
    return ';';
  }

private:
  const FrameTable& frames_;
  FoldedStack rest_;
  Pieces pieces_;
  std::size_t index_ = 0;
  std::string_view piece_;
};

/// Returns the bytes of one frame, "net.py:7:forward".
std::uint64_t folded_size(const FrameTable& frames, FrameId id) {
  const Frame& frame = frames.frame(id);
  return folded_basename(frames.text(frame.filename)).size() + fmt::formatted_size(":{}:", file_line_text(frame.line)) +
         frames.text(frame.name).size();
}

/// Less than, equal to or greater than 0, as the texts compare byte by byte.
int compare_folded(const FrameTable& frames, FoldedStack one, FoldedStack other) {
  // Most stacks begin with the same frames.
  const auto [differs, in_other] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  const auto common = static_cast<std::size_t>(differs - one.begin());
  if (differs == one.end() || in_other == other.end())
    return static_cast<int>(one.size() > common) - static_cast<int>(other.size() > common);
  Reader one_text(frames, one.subspan(common));
  Reader other_text(frames, other.subspan(common));
  for (;;) {
    const int byte = one_text.next();
    const int other_byte = other_text.next();
    if (byte != other_byte) return byte < other_byte ? -1 : 1;
    if (byte == Reader::kEnd) return 0;
  }
}

int compare_folded(const FrameTable& frames, FoldedStack stack, std::string_view word) {
  if (stack.empty()) return word.empty() ? 0 : -1;
  Reader text(frames, stack);
  for (const char c : word) {
    const int byte = text.next();
    if (byte != static_cast<unsigned char>(c)) return byte < static_cast<unsigned char>(c) ? -1 : 1;
  }
  return text.next() == Reader::kEnd ? 0 : 1;
}

void write_folded(const FrameTable& frames, FoldedStack stack, TextWriter& writer) {
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (i > 0) writer.add(";");
    const Pieces pieces(frames, stack[i]);
    for (std::size_t index = 0; index < Pieces::kCount; ++index)
      writer.add(pieces[index], in_stack);
  }
}

/// The last part of a path below a state: a stack, or a word in place of it.
struct Leaf {
  std::string_view word; ///< "" for a stack
  StackId stack = kNoFrames;
  friend auto operator<=>(const Leaf&, const Leaf&) = default;
};

using Path = std::pair<BlockState, Leaf>;
using PathSums = std::map<Path, std::uint64_t>;

Leaf leaf_of(StackId stack) {
  if (stack == kNoFrames) return {"<non-python>"};
  if (stack == kNoContext) return {"<no-context>"};
  return {"", stack};
}

std::string prefix_of(const Segment& segment, FoldedView view) {
  if (view == FoldedView::memory) return fmt::format("stream_{};", segment.stream);
  return fmt::format("stream_{};seg_{};", segment.stream, segment.address);
}

void add_block(PathSums& sums, const Block& block) {
  const auto add = [&](const Leaf& leaf, std::uint64_t bytes) {
    if (bytes > 0) sums[{block.state, leaf}] += bytes;
  };
  add(block.is_active() ? leaf_of(block.stack) : Leaf{}, block.is_active() ? block.requested_bytes : block.size_bytes);
  add({"<gaps>"}, block.rounding_bytes());
}

/// Orders paths by their text. The frames of each stack are found in the first call for it, so that none of the
/// compared spans moves.
class PathOrder {
public:
  explicit PathOrder(const FrameTable& frames)
      : frames_(frames), selection_(frames, {.frames = FrameFilter::filtered}) {}

  /// Outermost first, without the frames on PyTorch's omit list.
  [[nodiscard]] FoldedStack frames_of(const Leaf& leaf) { return selection_.selected(leaf.stack); }

  /// Less than, equal to or greater than 0. The order of states is the order of their names.
  [[nodiscard]] int compare(const Path& one, const Path& other) {
    if (one.first != other.first) return one.first < other.first ? -1 : 1;
    const Leaf& leaf = one.second;
    const Leaf& other_leaf = other.second;
    if (!leaf.word.empty() && !other_leaf.word.empty()) return leaf.word.compare(other_leaf.word);
    if (!leaf.word.empty()) return -compare_folded(frames_, frames_of(other_leaf), leaf.word);
    if (!other_leaf.word.empty()) return compare_folded(frames_, frames_of(leaf), other_leaf.word);
    return compare_folded(frames_, frames_of(leaf), frames_of(other_leaf));
  }

private:
  const FrameTable& frames_;
  FrameSelection selection_;
};

class FoldedText {
public:
  FoldedText(const MemoryState& state, FoldedView view, std::optional<DeviceId> device)
      : frames_(state.frames()), order_(state.frames()) {
    const auto is_wanted = [&](DeviceId of) { return device ? of == *device : !is_host(of); };
    for (const Segment& segment : state.segments_of(device)) {
      if (!is_wanted(segment.device)) continue;
      PathSums& sums = by_prefix_[prefix_of(segment, view)];
      for (const Block& block : state.blocks_of(segment))
        add_block(sums, block);
    }
    for (const DeviceState& of_device : state.devices) {
      if (!is_wanted(of_device.device)) continue;
      for (const OutsideMemory& memory : of_device.outside)
        by_prefix_[fmt::format("{};", pseudo_label(Pseudo::outside))]
                  [{BlockState::active_allocated, leaf_of(memory.stack)}] += memory.requested_bytes;
    }
    check_size(state.recording->origin.size_bytes);
  }

  void write(const TextSink& sink) {
    TextWriter writer(sink);
    // Bytes are compared as unsigned, which for UTF-8 is the order of code points.
    for (const auto& [prefix, sums] : by_prefix_) {
      std::vector<std::pair<Path, std::uint64_t>> lines(sums.begin(), sums.end());
      std::ranges::sort(lines,
                        [&](const auto& one, const auto& other) { return order_.compare(one.first, other.first) < 0; });
      for (std::size_t i = 0; i < lines.size(); ++i) {
        // Two stacks that differ only in omitted frames or in directories have the same text.
        const bool is_same_text = i + 1 < lines.size() && order_.compare(lines[i].first, lines[i + 1].first) == 0;
        if (is_same_text)
          lines[i + 1].second += lines[i].second;
        else
          write_line(prefix, lines[i].first, lines[i].second, writer);
      }
    }
    writer.flush();
  }

private:
  /// Checked before any of the text is compared or written.
  void check_size(std::uint64_t file_bytes) {
    TextLimit limit(file_bytes, "--device N or --format json --frames user write less");
    std::map<Leaf, std::uint64_t> sizes;
    for (const auto& [prefix, sums] : by_prefix_) {
      for (const auto& [path, bytes] : sums) {
        const auto [entry, is_new] = sizes.try_emplace(path.second);
        if (is_new) {
          TextLimit stack_limit = limit;
          for (const FrameId frame : order_.frames_of(path.second)) {
            const std::uint64_t size = folded_size(frames_, frame) + 1;
            stack_limit.add(size);
            entry->second += size;
          }
        }
        limit.add(prefix.size());
        limit.add(entry->second);
      }
    }
  }

  void write_line(const std::string& prefix, const Path& path, std::uint64_t bytes, TextWriter& writer) {
    writer.add(prefix);
    writer.add(state_name(path.first));
    if (path.first != BlockState::inactive) {
      writer.add(";");
      writer.add(path.second.word);
      write_folded(frames_, order_.frames_of(path.second), writer);
    }
    writer.add(fmt::format(" {}\n", bytes));
  }

  const FrameTable& frames_;
  PathOrder order_;
  std::map<std::string, PathSums> by_prefix_;
};

} // namespace

TextSource folded_source(const MemoryState& state, FoldedView view, std::optional<DeviceId> device) {
  const auto text = std::make_shared<FoldedText>(state, view, device);
  return [text](const TextSink& sink) { text->write(sink); };
}

std::string folded_stacks(const MemoryState& state, FoldedView view, std::optional<DeviceId> device) {
  return whole_text(folded_source(state, view, device));
}

} // namespace memviz
