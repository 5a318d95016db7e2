#include "fast_reader/record_lookahead.hpp"

// Replaces record_lookahead.cpp in builds without threads, see cmake/core_sources.cmake.

namespace memviz::fast_reader {

std::unique_ptr<RecordLookahead> make_lookahead(std::string_view /*bytes*/, const DigestGuesses& /*guesses*/,
                                                unsigned /*threads*/) {
  return nullptr;
}

} // namespace memviz::fast_reader
