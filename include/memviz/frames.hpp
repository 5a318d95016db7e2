#pragma once

// Strings, frames and stacks, each distinct one stored once and identified by a small id. A snapshot repeats a few
// thousand stacks millions of times; all code after the reader works on the ids. Frames within a stack arrive, and
// stay, innermost first.

#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memviz {

struct StringId {
  std::uint32_t value = 0;
  friend auto operator<=>(const StringId&, const StringId&) = default;
};

struct FrameId {
  std::uint32_t value = 0;
  friend auto operator<=>(const FrameId&, const FrameId&) = default;
};

struct StackId {
  std::uint32_t value = 0;
  friend auto operator<=>(const StackId&, const StackId&) = default;
};

/// The id of the empty string, which is always the first one.
inline constexpr StringId kEmptyString{0};
/// The id of `frames: []`, or of a missing `frames`: PyTorch's tools write it as `<non-python>`.
inline constexpr StackId kNoFrames{0};
/// The id of a `history` entry (PyTorch 1.13 and 2.0) without `frames`: PyTorch's tools write it as `<no-context>`.
inline constexpr StackId kNoContext{1};

/// The facts that torch.fx adds to a frame (`augment_with_fx_traces`, PyTorch 2.10): kept for display, not part of the
/// frame's identity.
struct FxInfo {
  StringId node_op;
  StringId node_name;
  StringId node_target;
  StringId original_trace;
};

struct Frame {
  StringId name;
  StringId filename;
  std::int64_t line = 0;
  friend auto operator<=>(const Frame&, const Frame&) = default;
};

/// The standard limit of name() and filename(): longer than the names of C++ functions and of files that people read.
inline constexpr std::size_t kMostFrameBytes = 4096;

class FrameTable {
public:
  FrameTable();
  // Movable but not copyable: the index points into the stored strings, which a move keeps in place.
  FrameTable(FrameTable&&) noexcept;
  FrameTable& operator=(FrameTable&&) noexcept;
  FrameTable(const FrameTable&) = delete;
  FrameTable& operator=(const FrameTable&) = delete;
  ~FrameTable();

  /// Returns the id of `text`. Bytes that are not UTF-8 become U+FFFD, so that all later text is valid UTF-8.
  StringId intern(std::string_view text);
  FrameId add_frame(const Frame& frame);
  /// Returns the id of a stack of frames, innermost first. The empty stack is kNoFrames.
  StackId add_stack(std::span<const FrameId> frames);
  void set_fx(FrameId frame, const FxInfo& info) { fx_[frame.value] = info; }
  /// Adds the source text of a frame's line, which is only displayed: it is not part of the frame's identity.
  void set_source(FrameId frame, std::string_view text) { sources_[frame.value] = intern(text); }

  [[nodiscard]] std::string_view text(StringId id) const { return strings_[id.value]; }
  [[nodiscard]] const Frame& frame(FrameId id) const { return frames_[id.value]; }
  /// Returns frames innermost first; none for kNoFrames and kNoContext. Valid until the next add_stack().
  [[nodiscard]] std::span<const FrameId> stack(StackId id) const;
  /// Returns the beginning of the frame's name and the end of its file's name, at most `most_bytes` of each, because
  /// one text of megabytes may be in every frame. Code that needs a whole text handles it once, by its id: see text().
  [[nodiscard]] std::string_view name(FrameId id, std::size_t most_bytes = kMostFrameBytes) const;
  [[nodiscard]] std::string_view filename(FrameId id, std::size_t most_bytes = kMostFrameBytes) const;
  /// Returns null if the frame has no fx fields.
  [[nodiscard]] const FxInfo* fx(FrameId id) const;
  /// Returns the source text of the frame's line, "" if it is unknown. Snapshots do not contain it.
  [[nodiscard]] std::string_view source(FrameId id) const;

  /// Returns the number of texts. They are numbered from 0 without gaps, as frames and stacks are.
  [[nodiscard]] std::size_t string_count() const noexcept { return strings_.size(); }
  [[nodiscard]] std::size_t frame_count() const noexcept { return frames_.size(); }
  [[nodiscard]] std::size_t stack_count() const noexcept { return stacks_.size(); }

private:
  /// The index of texts, frames and stacks.
  struct Index;
  struct Span {
    std::uint64_t begin;
    std::uint32_t size;
  };

  std::vector<std::string_view> strings_;
  std::deque<std::string> storage_; // a deque, because strings_ points into its elements
  std::vector<Frame> frames_;
  std::vector<Span> stacks_;
  std::vector<FrameId> stack_frames_;
  std::unique_ptr<Index> index_;
  std::unordered_map<std::uint32_t, FxInfo> fx_;
  std::unordered_map<std::uint32_t, StringId> sources_;
};

} // namespace memviz
