#include "export/folded_text.hpp"

#include "base/log_commands.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "memviz/label.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

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

} // namespace

std::uint64_t folded_size(const FrameTable& frames, FrameId id) {
  const Frame& frame = frames.frame(id);
  return folded_basename(frames.text(frame.filename)).size() + fmt::formatted_size(":{}:", file_line_text(frame.line)) +
         frames.text(frame.name).size();
}

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

} // namespace memviz
