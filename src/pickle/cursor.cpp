#include "pickle/cursor.hpp"

#include "memviz/error.hpp"

#include <fmt/format.h>

namespace memviz::pickle {

std::string_view Cursor::line() {
  const std::size_t end = bytes_.find('\n', offset_);
  if (end == std::string_view::npos) {
    throw ParseError(offset_, "expected a line of text, found the end of the file: is it cut off?");
  }
  const std::string_view text = bytes_.substr(offset_, end - offset_);
  offset_ = end + 1;
  return text;
}

void Cursor::fail_at_end() const {
  throw ParseError(offset_, "expected an opcode, found the end of the file: is it cut off?");
}

void Cursor::fail_short(std::uint64_t wanted) const {
  throw ParseError(offset_, fmt::format("expected {} more bytes, found {}: is the file cut off?", wanted, left()));
}

} // namespace memviz::pickle
