#pragma once

// Frame lists of the document -> stacks. Files refer to a few thousand lists millions of times: each list and each
// frame is converted once.

#include "base/hash_map.hpp"
#include "memviz/frames.hpp"
#include "memviz/text_rewriter.hpp"
#include "recording/keys.hpp"
#include "value/fields.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

using FrameFields = FieldReader<kFrameKeys.read.size()>;

class FrameReader {
public:
  /// Texts pass through `rewriter`, if there is one.
  FrameReader(const Document& document, FrameTable& frames, TextRewriter* rewriter = nullptr);

  /// Returns the stack of a `frames` list; kNoFrames if the key is absent or the list empty. Throws SchemaError.
  StackId stack(const Field& frames) {
    const Value value = frames.value;
    if (value.kind() == Kind::list) {
      const auto number = static_cast<std::size_t>(value.payload());
      if (number < stacks_.size() && stacks_[number] != 0) return {stacks_[number] - 1};
    }
    if (value.kind() == Kind::digest) return digested(value, false);
    return other_stack(frames);
  }
  /// Returns the stand-in for a list that a record holds: the result of stack() or text_stack() as a Kind::digest
  /// that they understand.
  Value digest(std::span<const Value> items);
  /// Reads `forward_frames`: a list of text lines, each a frame that has only a name.
  StackId text_stack(const Field& lines);
  /// Returns the texts of a frame with these names, which may be absent, without adding it to the table of frames.
  Frame code(Value name, Value filename) { return frame_of(name, filename); }
  /// The place where every text except those of frames enters the snapshot.
  StringId text(TextKind kind, std::string_view text);
  /// Returns the id of a text or bytes of the document. Each is rewritten, hashed and copied once, because a file may
  /// give one of megabytes to all its records.
  StringId text(TextKind kind, Value value) {
    const auto number = static_cast<std::size_t>(value.payload());
    const std::vector<std::uint32_t>& known = known_texts_[static_cast<std::size_t>(kind)];
    if (number < known.size() && known[number] != 0) return {known[number] - 1};
    return new_text(kind, value);
  }

private:
  StackId other_stack(const Field& frames);
  [[nodiscard]] static StackId digested(Value digest, bool is_text) {
    const StackId stack{static_cast<std::uint32_t>(digest.payload() >> 1U)};
    if (stack != kNoFrames && is_text != ((digest.payload() & 1U) != 0)) fail_digested(digest);
    return stack;
  }
  [[noreturn]] static void fail_digested(Value digest);
  [[nodiscard]] std::optional<StackId> known_stack(Value list) const;
  void remember(Value list, StackId stack);
  StringId new_text(TextKind kind, Value value);
  FrameId text_frame(Value text);
  FrameId frame(const Field& dict);
  void add_fx(FrameId id, const FrameFields::Row& row);
  Frame frame_of(Value name, Value filename);
  [[nodiscard]] std::string_view text_or_empty(Value value) const;
  StringId interned(Value value);

  const Document& document_;
  FrameTable& frames_;
  TextRewriter* rewriter_;
  FrameFields fields_;
  std::vector<std::uint32_t> stacks_;         ///< by number of the list: its stack + 1, 0 if unknown
  HashMap<std::uint64_t, FrameId> frame_ids_; ///< by the bits of the dict
  std::map<std::pair<std::uint64_t, std::uint64_t>, Frame> rewritten_; ///< by the values of name and filename
  std::vector<std::uint32_t> texts_; ///< for frames, by number of the text: its StringId + 1, 0 if unknown
  std::array<std::vector<std::uint32_t>, kTextKinds> known_texts_; ///< the same for each kind of other text
  std::vector<FrameId> scratch_;                                   ///< kept across calls to save allocations
};

} // namespace memviz
