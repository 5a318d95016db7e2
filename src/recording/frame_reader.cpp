#include "recording/frame_reader.hpp"

#include "memviz/source_line.hpp"

namespace memviz {
FrameReader::FrameReader(const Document& document, FrameTable& frames, TextRewriter* rewriter)
    : document_(document), frames_(frames), rewriter_(rewriter), fields_(document, kFrameKeys.read) {
}

/// Returns the stack of a list that occurs for the first time, of a tuple, or of another value.
StackId FrameReader::other_stack(const Field& frames) {
  if (!frames.is_present()) return kNoFrames;
  if (frames.value.kind() != Kind::tuple) frames.require(Kind::list);
  if (const auto known = known_stack(frames.value)) return *known;
  scratch_.clear();
  document_.for_each(frames.value, [&](Value dict) {
    scratch_.push_back(frame(frames.item(scratch_.size(), dict)));
    return true;
  });
  const StackId stack = frames_.add_stack(scratch_);
  remember(frames.value, stack);
  return stack;
}

FrameId FrameReader::frame(const Field& dict) {
  if (const FrameId* const known = frame_ids_.find(dict.value.bits())) return *known;
  dict.require(Kind::dict);
  const auto row = fields_.read(dict.value);
  Frame frame = frame_of(row[kFrameKeys["name"]], row[kFrameKeys["filename"]]);
  if (const auto number = document_.as_signed(row[kFrameKeys["line"]]); number && *number != kUnknownLine)
    frame.line = *number;
  else if (document_.as_unsigned(row[kFrameKeys["line"]]) == std::numeric_limits<std::uint64_t>::max())
    frame.line = kUnknownLine;
  const FrameId id = frames_.add_frame(frame);
  if (row[kFrameKeys["fx_node_op"]].kind() == Kind::text || row[kFrameKeys["fx_original_trace"]].kind() == Kind::text)
    add_fx(id, row);
  frame_ids_.add(dict.value.bits(), id);
  return id;
}

void FrameReader::add_fx(FrameId id, const FrameFields::Row& row) {
  const auto node = [&](std::size_t key) {
    const bool is_text = row[key].kind() == Kind::text || row[key].kind() == Kind::bytes;
    return is_text ? text(TextKind::graph_node, row[key]) : kEmptyString;
  };
  frames_.set_fx(id, {node(kFrameKeys["fx_node_op"]), node(kFrameKeys["fx_node_name"]),
                      node(kFrameKeys["fx_node_target"]), node(kFrameKeys["fx_original_trace"])});
}

std::optional<StackId> FrameReader::known_stack(Value list) const {
  const auto number = static_cast<std::size_t>(list.payload());
  if (number >= stacks_.size() || stacks_[number] == 0) return std::nullopt;
  return StackId{stacks_[number] - 1};
}

void FrameReader::remember(Value list, StackId stack) {
  const auto number = static_cast<std::size_t>(list.payload());
  if (number >= stacks_.size()) stacks_.resize(number + 1);
  stacks_[number] = stack.value + 1;
}

Value FrameReader::digest(std::span<const Value> items) {
  const bool is_text = !items.empty() && items.front().kind() == Kind::text;
  scratch_.clear();
  for (const Value item : items) {
    Field{item, nullptr, "frames"}.require(is_text ? Kind::text : Kind::dict);
    scratch_.push_back(is_text ? text_frame(item) : frame({item}));
  }
  return {Kind::digest, std::uint64_t{frames_.add_stack(scratch_).value} << 1U | (is_text ? 1U : 0U)};
}

void FrameReader::fail_digested(Value digest) {
  Field{digest, nullptr, "frames"}.fail("a list of frames, or of texts, everywhere", "it as one and as the other");
}

FrameId FrameReader::text_frame(Value text) {
  return frames_.add_frame(frame_of(text, Value()));
}

StackId FrameReader::text_stack(const Field& lines) {
  if (!lines.is_present()) return kNoFrames;
  if (lines.value.kind() == Kind::digest) return digested(lines.value, true);
  lines.require(Kind::list);
  if (const auto known = known_stack(lines.value)) return *known;
  scratch_.clear();
  document_.for_each(lines.value, [&](Value line_text) {
    scratch_.push_back(text_frame(line_text));
    return true;
  });
  const StackId id = frames_.add_stack(scratch_);
  remember(lines.value, id);
  return id;
}

/// A file may repeat a frame in millions of dicts: its texts are rewritten only once.
Frame FrameReader::frame_of(Value name, Value filename) {
  if (rewriter_ == nullptr) return {interned(name), interned(filename), 0};
  const auto [entry, is_new] = rewritten_.try_emplace({name.bits(), filename.bits()});
  if (is_new) {
    const FrameText text = rewriter_->frame(text_or_empty(name), text_or_empty(filename));
    entry->second = {frames_.intern(text.name), frames_.intern(text.filename), 0};
  }
  return entry->second;
}

StringId FrameReader::text(TextKind kind, std::string_view text) {
  return rewriter_ == nullptr ? frames_.intern(text) : frames_.intern(rewriter_->text(kind, text));
}

StringId FrameReader::new_text(TextKind kind, Value value) {
  const auto number = static_cast<std::size_t>(value.payload());
  std::vector<std::uint32_t>& known = known_texts_[static_cast<std::size_t>(kind)];
  if (number >= known.size()) known.resize(number + 1);
  const StringId id = text(kind, document_.text(value));
  known[number] = id.value + 1;
  return id;
}

std::string_view FrameReader::text_or_empty(Value value) const {
  return value.kind() == Kind::text || value.kind() == Kind::bytes ? document_.text(value) : "";
}

StringId FrameReader::interned(Value value) {
  if (value.kind() != Kind::text && value.kind() != Kind::bytes) return kEmptyString;
  const auto number = static_cast<std::size_t>(value.payload());
  if (number >= texts_.size()) texts_.resize(number + 1);
  if (texts_[number] == 0) texts_[number] = frames_.intern(document_.text(value)).value + 1;
  return {texts_[number] - 1};
}

} // namespace memviz
