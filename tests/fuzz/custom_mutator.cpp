// Linked into the fuzzers of pickles: three of four changes know the opcodes, the others are libFuzzer's own.

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

std::size_t copied(const std::string& bytes, std::uint8_t* data) {
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  if (size == 0 || seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return copied(memviz::fuzz::mutated(view_of(data, size), max_size, seed), data);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size, const std::uint8_t* other,
                                                 std::size_t other_size, std::uint8_t* out, std::size_t max_size,
                                                 unsigned int seed) {
  if (size == 0 || other_size == 0) return 0;
  return copied(memviz::fuzz::crossed(view_of(data, size), view_of(other, other_size), max_size, seed), out);
}
