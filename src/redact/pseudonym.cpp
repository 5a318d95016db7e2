#include "redact/pseudonym.hpp"

#include "base/sha256.hpp"

#include <cstdint>

namespace memviz {

std::string Pseudonyms::of(std::string_view prefix, std::string_view text) const {
  // Crockford's alphabet: without letters that look like digits.
  static constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  constexpr std::size_t kCharacters = 8;
  // The key is preceded by its length, so that no other key and text give the same bytes.
  const auto digest = sha256(std::to_string(key_.size()) + ':' + key_ + std::string(text));
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i)
    bits = bits << 8U | digest[i];
  std::string pseudonym(prefix);
  for (std::size_t i = 0; i < kCharacters; ++i, bits >>= 5U)
    pseudonym += kDigits[bits & 31U];
  return pseudonym;
}

} // namespace memviz
