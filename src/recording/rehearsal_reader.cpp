#include "recording/rehearsal_reader.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"

#include <string_view>

namespace memviz {
namespace {

constexpr std::string_view kKey = "memviz_rehearsal";

/// Returns a name of the GPU, short whatever the file contains.
std::string name_of(const Document& document, Value value, FrameReader& texts, const Recording& recording) {
  constexpr std::size_t kMostBytes = 256;
  constexpr std::size_t kMostColumns = 60;
  if (value.kind() != Kind::text) return "";
  const std::string text = elided(to_valid_utf8(document.text(value).substr(0, kMostBytes)), kMostColumns);
  return std::string(recording.frames.text(texts.text(TextKind::setting, text)));
}

Rehearsal rehearsal_of(const Document& document, Value mark, FrameReader& texts, const Recording& recording) {
  Rehearsal rehearsal;
  if (mark.kind() != Kind::dict) {
    rehearsal.profile = name_of(document, mark, texts, recording);
    return rehearsal;
  }
  rehearsal.gpu = name_of(document, document.get(mark, "gpu"), texts, recording);
  rehearsal.profile = name_of(document, document.get(mark, "profile"), texts, recording);
  rehearsal.total_bytes = document.as_unsigned(document.get(mark, "total_bytes"));
  if (rehearsal.total_bytes == 0 || rehearsal.total_bytes > kMaxTotalBytes) rehearsal.total_bytes.reset();
  rehearsal.rank = document.as_unsigned(document.get(mark, "rank"));
  rehearsal.ranks = document.as_unsigned(document.get(mark, "ranks"));
  return rehearsal;
}

} // namespace

void read_rehearsal(const Document& document, Value settings, FrameReader& texts, Recording& recording) {
  Value mark = document.root.kind() == Kind::dict ? document.get(document.root, kKey) : Value();
  if (mark.kind() == Kind::unset && settings.kind() == Kind::dict) mark = document.get(settings, kKey);
  if (mark.kind() == Kind::unset) return;
  recording.origin.rehearsal = rehearsal_of(document, mark, texts, recording);
  if (recording.origin.rehearsal->rank) recording.origin.rank = recording.origin.rehearsal->rank;
}

} // namespace memviz
