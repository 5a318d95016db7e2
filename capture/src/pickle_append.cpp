#include "pickle_append.hpp"

#include "utf8.hpp"

namespace memviz::capture {
namespace {

/// Appends the low `bytes` bytes of `number`, the lowest first.
void append_little_endian(std::uint64_t number, int bytes, std::string& pickle) {
  for (int byte = 0; byte < bytes; ++byte)
    pickle += static_cast<char>(number >> (8U * static_cast<unsigned>(byte)));
}

} // namespace

void append_text(std::string_view text, std::string& pickle) {
  const std::string repaired = is_utf8(text) ? std::string() : to_utf8(text);
  if (!repaired.empty()) text = repaired;
  pickle += 'X';
  append_little_endian(text.size(), 4, pickle);
  pickle += text;
}

void append_natural(std::uint64_t number, std::string& pickle) {
  pickle += "\x8a\x09";
  append_little_endian(number, 8, pickle);
  pickle += '\0';
}

} // namespace memviz::capture
