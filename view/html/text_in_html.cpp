#include "html/text_in_html.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace memviz {

namespace {

constexpr std::uint32_t kCharacters = 91;
constexpr unsigned kBitsOfTwo = 13;
constexpr unsigned kBitsOfOne = 6; ///< a last single character

constexpr std::array<char, kCharacters> characters() {
  std::array<char, kCharacters> all{};
  std::size_t count = 0;
  for (char c = '!'; c <= '~'; ++c)
    if (c != '&' && c != '<' && c != '>') all[count++] = c;
  return all;
}

constexpr std::array<char, kCharacters> kAlphabet = characters();

} // namespace

std::string text_in_html(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 16 / kBitsOfTwo + 2);
  std::uint32_t bits = 0; ///< the last `count` of them are not written yet
  unsigned count = 0;
  const auto write_two = [&](std::uint32_t number) {
    text += kAlphabet[number / kCharacters];
    text += kAlphabet[number % kCharacters];
  };
  for (const char byte : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
    count += 8;
    if (count < kBitsOfTwo) continue;
    count -= kBitsOfTwo;
    write_two(bits >> count);
    bits &= (1U << count) - 1;
  }
  if (count > kBitsOfOne)
    write_two(bits << (kBitsOfTwo - count));
  else if (count > 0)
    text += kAlphabet[bits << (kBitsOfOne - count)];
  return text;
}

} // namespace memviz
