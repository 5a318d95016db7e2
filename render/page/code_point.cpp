#include "page/code_point.hpp"

namespace memviz::render {
namespace {

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

bool is_shortest_and_scalar(char32_t value, std::size_t length) {
  if (length == 3) return value >= 0x800 && (value < 0xd800 || value > 0xdfff);
  if (length == 4) return value >= 0x10000 && value <= 0x10ffff;
  return true;
}

} // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = sequence_length(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0 || length > text.size()) return {};
  char32_t value = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80) return {};
    value = (value << 6U) | (byte & 0x3fU);
  }
  if (!is_shortest_and_scalar(value, length)) return {};
  return {value, length, true};
}

} // namespace memviz::render
