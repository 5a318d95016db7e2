#pragma once

// Opcodes and their arguments at a place where enough bytes are known to follow.

#include "pickle/opcode.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memviz::pickle {

inline Opcode opcode_at(const char* at) {
  return static_cast<Opcode>(static_cast<unsigned char>(*at));
}

template <class Number> Number number_at(const char* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// Bytes of the opcode that fetches from the memo at `at`; 0 for any other.
inline std::size_t fetch_bytes(const char* at) {
  if (opcode_at(at) == Opcode::long_binget) return 5;
  return opcode_at(at) == Opcode::binget ? 2 : 0;
}

} // namespace memviz::pickle
