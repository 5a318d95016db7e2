#include "snapshot/file_kind.hpp"

#include "memviz/error.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace memviz {
namespace {

std::string_view without_leading_space(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  return bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
}

/// Every pickle that writes text only begins like this: protocol 0 opens its containers with MARK, DICT or LIST.
bool may_be_text_pickle(std::string_view bytes) {
  return bytes.starts_with("(d") || bytes.starts_with("(l") || bytes.starts_with("}") || bytes.starts_with("]") ||
         bytes.starts_with("(");
}

bool is_readable_text(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 256);
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte < 0x7F) || byte == '\t' || byte == '\n' || byte == '\r';
  });
}

} // namespace

bool looks_like_json(std::string_view bytes) {
  const std::string_view text = without_leading_space(bytes);
  return text.starts_with('{') || text.starts_with('[');
}

void reject_foreign_file(std::string_view bytes) {
  if (bytes.empty()) throw Error("the file is empty");
  if (bytes.starts_with("PK\x03\x04")) {
    throw Error(
        "byte 0: expected a memory snapshot, found a zip archive: a checkpoint of torch.save or torch.export? Write "
        "a snapshot with torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")");
  }
  if (without_leading_space(bytes).starts_with('<')) {
    throw Error("byte 0: expected a memory snapshot, found HTML or XML: pass the .pickle that the page was made from");
  }
  if (!looks_like_json(bytes) && !may_be_text_pickle(bytes) && is_readable_text(bytes)) {
    throw Error("byte 0: expected a memory snapshot (a pickle or JSON), found text: \"" +
                elided(to_valid_utf8(bytes.substr(0, bytes.find('\n')).substr(0, 256)), 60) + "\"");
  }
}

} // namespace memviz
