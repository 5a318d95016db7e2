#include "base/base64.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace memviz {

std::string base64(std::string_view bytes) {
  constexpr std::size_t kGroup = 3;
  std::string text;
  text.reserve((bytes.size() + kGroup - 1) / kGroup * 4);
  for (std::size_t i = 0; i < bytes.size(); i += kGroup) {
    std::uint32_t group = 0;
    for (std::size_t j = i; j < i + kGroup; ++j)
      group = group << 8U | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    const std::size_t letters = std::min(kGroup, bytes.size() - i) + 1;
    for (std::size_t letter = 0; letter < 4; ++letter)
      text += letter < letters ? kBase64Letters[group >> (18U - 6U * letter) & 63U] : '=';
  }
  return text;
}

} // namespace memviz
