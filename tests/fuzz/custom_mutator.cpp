// Linked into the fuzzers of pickles: three of four changes know the opcodes, the others are libFuzzer's own. So are
// all changes of archives and of JSON.

#include "pickle_mutator.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

std::string_view view_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Whether it begins like an archive or like JSON.
bool is_no_pickle(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = view_of(data, size);
  return bytes.empty() || bytes.starts_with("PK") || bytes.starts_with('{');
}

std::size_t copied(const std::string& bytes, std::uint8_t* data) {
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  if (is_no_pickle(data, size) || seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return copied(memviz::fuzz::mutated(view_of(data, size), max_size, seed), data);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size, const std::uint8_t* other,
                                                 std::size_t other_size, std::uint8_t* out, std::size_t max_size,
                                                 unsigned int seed) {
  if (is_no_pickle(data, size) || is_no_pickle(other, other_size)) return 0;
  return copied(memviz::fuzz::crossed(view_of(data, size), view_of(other, other_size), max_size, seed), out);
}
